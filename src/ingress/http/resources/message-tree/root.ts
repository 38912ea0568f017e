/** The files at the top of the message tree. */
import type * as z from "zod";
import {
  listVisibleSources,
  registerSource,
} from "../../../../exchange/source-calls/configure-source.ts";
import { checkSource } from "../../../../exchange/source-calls/configure-household.ts";
import { waitForNotice } from "../../../../exchange/source-calls/wait-for-notice.ts";
import { CTL_USAGE, parseRegisterCommand } from "../../../../mess/sources/tree/commands.ts";
import { listRootNames, writeTreePath } from "../../../../mess/sources/tree/paths.ts";
import type { HandlerPromise, HttpCall, HttpRoute } from "../../route.ts";
import { notifyQuerySchema, toWaitMs } from "./queries.ts";
import {
  buildLines,
  buildNothing,
  buildText,
  CURSOR_HEADER,
  defineTreeRead,
  defineTreeWrites,
} from "./tree-route.ts";

async function handleRoot({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listVisibleSources(env, principal);
  if (!listed.ok) return listed;
  const reads = listed.value.some(({ accesses }) => accesses.includes("read"));
  const isOwner = principal.role === "owner" && principal.paths === undefined;
  return buildLines([
    ...listRootNames({ reads: reads || isOwner, configures: isOwner }),
    ...listed.value.map(({ name }) => `${name}/`),
  ]);
}

async function handleSources({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listVisibleSources(env, principal);
  return listed.ok ? buildLines(listed.value.map(({ name }) => name)) : listed;
}

async function handleUsage({ env, principal }: HttpCall): HandlerPromise {
  const allowed = await listVisibleSources(env, principal);
  return allowed.ok ? buildText(CTL_USAGE.ctl) : allowed;
}

async function handleRegister(
  { env, principal }: HttpCall,
  _node: unknown,
  text: string,
): HandlerPromise {
  const command = parseRegisterCommand(text);
  if (!command.ok) return command;
  const { name, settings } = command.value;
  const registered = await registerSource(env, principal, name, settings);
  if (!registered.ok) return registered;
  const { kind, address } = registered.value;
  const place = address === undefined ? "" : ` Messages are sent to ${address}.`;
  const problems = await checkSource(env, principal.household, registered.value);
  const warnings = problems.map((problem) => `warning: ${problem}\n`).join("");
  return buildText(`The source ${name} of the kind ${kind} is registered.${place}\n${warnings}`);
}

async function handleNotify(call: HttpCall<z.output<typeof notifyQuerySchema>>): HandlerPromise {
  const { env, principal, query, request } = call;
  const { after = query.cursor, timeout } = query;
  const wait = toWaitMs(request, timeout);
  const found = await waitForNotice(env, principal, after, wait, request.signal);
  if (!found.ok) return found;
  const { notices, cursor } = found.value;
  const lines = notices.map(
    ({ text, source, message: id }) => `${text}\t${writeTreePath({ type: "message", source, id })}`,
  );
  return lines.length > 0
    ? buildLines(lines, String(cursor))
    : buildNothing({ [CURSOR_HEADER]: String(cursor) });
}

export const treeRootRoutes: readonly HttpRoute[] = [
  defineTreeRead("root", { summary: "The names at the top of the message tree" }, handleRoot),
  defineTreeRead(
    "sources",
    { summary: "The names of the sources that the caller may see" },
    handleSources,
  ),
  defineTreeRead("ctl", { summary: "The commands for the tree" }, handleUsage),
  ...defineTreeWrites(
    "ctl",
    {
      summary: "Register a source, or change its settings; for owners",
      body: "register {kind} {name} key=value…; settings can also follow in YAML or JSON, from the second line on",
    },
    handleRegister,
  ),
  defineTreeRead(
    "notify",
    {
      summary: "Wait for a message of which the owner must hear at once",
      description:
        "Returns a line with the notice, a tab and the path of the message for each notice after the cursor, or 204 when timeout, in seconds, has passed. The header X-MESS-Cursor has the cursor for after. Without after, the next notice.",
      query: notifyQuerySchema,
    },
    handleNotify,
  ),
];
