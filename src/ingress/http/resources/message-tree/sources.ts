/** The folder of a source in the message tree. */
import type * as z from "zod";
import {
  checkSourceAccess,
  hastenSource,
  listVisibleSources,
  setSourceStatus,
} from "../../../../exchange/source-calls/configure-source.ts";
import { readSourceStatus } from "../../../../exchange/source-calls/list-sources.ts";
import { listSourceMessages } from "../../../../exchange/source-calls/source-messages.ts";
import { waitForSourceMessage } from "../../../../exchange/source-calls/wait-for-message.ts";
import { refuse } from "../../../../mess/errors.ts";
import { CTL_USAGE, parseSourceCommand } from "../../../../mess/sources/tree/commands.ts";
import { listSourceNames, type TreeNode } from "../../../../mess/sources/tree/paths.ts";
import type { HandlerPromise, HttpCall, HttpRoute } from "../../route.ts";
import { newQuerySchema, pageQuerySchema, toWaitMs } from "./queries.ts";
import {
  buildLines,
  buildNothing,
  buildText,
  defineTreeRead,
  defineTreeWrites,
} from "./tree-route.ts";

async function handleFolder(
  { env, principal, query }: HttpCall<z.output<typeof pageQuerySchema>>,
  { source }: TreeNode,
): HandlerPromise {
  const visible = await listVisibleSources(env, principal);
  if (!visible.ok) return visible;
  const found = visible.value.find(({ name }) => name === source);
  if (!found) return refuse("not_found", "source not found", "GET /msg/ lists the sources.");
  const [read, draft] = [found.accesses.includes("read"), found.accesses.includes("draft")];
  const names = listSourceNames({ read, draft });
  if (!read) return buildLines(names);
  const page = await listSourceMessages(env, principal, source, query);
  if (!page.ok) return page;
  const { messages, next_cursor: cursor } = page.value;
  return buildLines([...names, ...messages.map(({ id }) => `${id}/`)], cursor);
}

async function handleStatus({ env, principal }: HttpCall, { source }: TreeNode): HandlerPromise {
  const found = await readSourceStatus(env, principal, source);
  if (!found.ok) return found;
  const { status, messages, unseen } = found.value;
  return buildText(`${status} ${messages} messages ${unseen} unseen\n`);
}

async function handleUsage({ env, principal }: HttpCall, { source }: TreeNode): HandlerPromise {
  const allowed = await checkSourceAccess(env, principal, source, "read");
  return allowed.ok ? buildText(CTL_USAGE.sourceCtl) : allowed;
}

async function handleCommand(
  { env, principal }: HttpCall,
  { source }: TreeNode,
  text: string,
): HandlerPromise {
  const command = parseSourceCommand(text);
  if (!command.ok) return command;
  const done =
    command.value === "idle"
      ? await hastenSource(env, principal, source)
      : await setSourceStatus(env, principal, source, `${command.value}ed`);
  return done.ok ? buildText(`The source ${source} is ${done.value.status}.\n`) : done;
}

async function handleNew(
  { env, principal, query, request }: HttpCall<z.output<typeof newQuerySchema>>,
  { source }: TreeNode,
): HandlerPromise {
  const { after, timeout } = query;
  const wait = toWaitMs(request, timeout);
  const found = await waitForSourceMessage(env, principal, source, after, wait, request.signal);
  if (!found.ok) return found;
  const { id } = found.value;
  return id === undefined ? buildNothing() : buildLines([id]);
}

export const treeSourceRoutes: readonly HttpRoute[] = [
  defineTreeRead(
    "source",
    {
      summary: "The names in the folder of a source, with its messages, newest first",
      description:
        "Where there are more messages, the header X-MESS-Cursor has the cursor of the next page.",
      query: pageQuerySchema,
    },
    handleFolder,
  ),
  defineTreeRead(
    "sourceStatus",
    { summary: "One line such as: connected 142 messages 3 unseen" },
    handleStatus,
  ),
  defineTreeRead("sourceCtl", { summary: "The commands for a source" }, handleUsage),
  ...defineTreeWrites(
    "sourceCtl",
    {
      summary: "Connect or disconnect a source, or let it look for new messages often",
      body: "connect, disconnect or idle; the first two are for owners",
    },
    handleCommand,
  ),
  defineTreeRead(
    "sourceNew",
    {
      summary: "Wait for a message of a source",
      description:
        "Returns the id of the first message after the one with the id of after, or of the next one, or 204 when timeout, in seconds, has passed.",
      query: newQuerySchema,
    },
    handleNew,
  ),
];
