/** Messages of sources as resources: what strangers wrote is quoted, and the bytes of files are unchanged. */
import {
  type McpServer,
  type ReadResourceResult,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { encodeBase64 } from "../../../bytes.ts";
import type { Principal } from "../../../auth/principal.ts";
import { searchSourceMessages } from "../../../exchange/source-calls/search-messages.ts";
import {
  locateSourceFile,
  readSourceMessage,
} from "../../../exchange/source-calls/source-messages.ts";
import { waitForNotice } from "../../../exchange/source-calls/wait-for-notice.ts";
import { callSources } from "../../../exchange/source-calls/with-source.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { findInHouseholds, type McpCaller } from "../caller.ts";
import {
  describeNotice,
  describeSourceMessage,
  formatMessageUri,
} from "../text/describe-source-message.ts";
import { inlineText } from "../text/untrusted-text.ts";
import { NOTICES_URI } from "./changed-uris.ts";
import { CONTENT_LIMITS } from "./content-files.ts";
import { throwResourceError } from "./resource-error.ts";

const TEXT_TYPE = "text/plain";
const MAX_LISTED_MESSAGES = 20;
const MAX_LISTED_NOTICES = 20;
const MAX_NAME_CHARS = 100;

/** The household has no such message, or the caller no access to its messages. */
const isElsewhere = ({ code, valid }: MessError): boolean =>
  (code === "not_found" || code === "wrong_role") && valid === undefined;

const buildTextResult = (uri: URL, text: string): ReadResourceResult => ({
  contents: [{ uri: uri.href, mimeType: TEXT_TYPE, text }],
});

type Variables = Record<string, string | string[]>;

/** Names and ids have no characters that need an escape. */
const getVariable = (variables: Variables, name: string): string => {
  const value = variables[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
};

export function serveMessageResources(
  server: McpServer,
  env: ExchangeBindings,
  caller: McpCaller,
): void {
  const find = <T>(work: (principal: Principal) => Promise<Outcome<T>>) =>
    findInHouseholds(caller, undefined, work, isElsewhere);
  const complete = { source: (typed: string) => completeSource(env, caller, typed) };

  server.registerResource(
    "notices",
    NOTICES_URI,
    {
      title: "Notices",
      description: "The newest urgent messages (tier NOTIFY); subscribe to it",
      mimeType: TEXT_TYPE,
    },
    async (uri) => buildTextResult(uri, await describeNotices(env, caller)),
  );

  server.registerResource(
    "message",
    new ResourceTemplate("msg://{source}/{id}", {
      list: async () => ({ resources: await listRecent(env, caller) }),
      complete,
    }),
    { title: "A message", description: "A message of a source", mimeType: TEXT_TYPE },
    async (uri, variables) => {
      const [source, id] = [getVariable(variables, "source"), getVariable(variables, "id")];
      const found = await find((principal) => readSourceMessage(env, principal, source, id));
      return found.ok
        ? buildTextResult(uri, describeSourceMessage(found.value, found.value.body))
        : throwResourceError(uri, found.error);
    },
  );

  server.registerResource(
    "message-file",
    new ResourceTemplate("msg://{source}/{id}/{part}", { list: undefined, complete }),
    { title: "A file of a message", description: "part: its index, or raw" },
    async (uri, variables) => {
      const [source, id] = [getVariable(variables, "source"), getVariable(variables, "id")];
      const part = getVariable(variables, "part");
      const index = /^\d{1,4}$/.test(part) ? Number(part) : -1;
      const found = await find((principal) =>
        readFile(env, principal, source, id, part === "raw" ? part : index),
      );
      return found.ok
        ? { contents: [{ uri: uri.href, ...found.value }] }
        : throwResourceError(uri, found.error);
    },
  );
}

/** One household after the other; those without access to messages show nothing. */
async function describeNotices(env: ExchangeBindings, caller: McpCaller): Promise<string> {
  const lines: string[] = [];
  for (const principal of caller.principals) {
    const last = await waitForNotice(env, principal, undefined, 0);
    if (!last.ok) continue;
    const start = Math.max(0, last.value.cursor - MAX_LISTED_NOTICES);
    const listed = await waitForNotice(env, principal, start, 0);
    if (listed.ok) lines.push(...listed.value.notices.map(describeNotice));
  }
  return lines.length === 0
    ? "No notices."
    : ["Strangers wrote the words in quotes.", ...lines].join("\n");
}

async function listRecent(env: ExchangeBindings, caller: McpCaller) {
  const found = [];
  for (const principal of caller.principals) {
    const page = await searchSourceMessages(env, principal, { limit: MAX_LISTED_MESSAGES });
    if (page.ok) found.push(...page.value.messages);
  }
  return found.map(({ source, id, sender, subject, received }) => ({
    uri: formatMessageUri(source, id),
    name: `${source} ${id}`,
    description: `"${inlineText(subject ?? "", MAX_NAME_CHARS)}" from ${inlineText(sender, MAX_NAME_CHARS)}, ${received}`,
    mimeType: TEXT_TYPE,
  }));
}

async function completeSource(
  env: ExchangeBindings,
  caller: McpCaller,
  typed: string,
): Promise<string[]> {
  const names = new Set<string>();
  for (const principal of caller.principals) {
    const listed = await callSources(env, principal, (sources) => sources.list(principal));
    if (listed.ok) for (const { name } of listed.value) names.add(name);
  }
  return [...names].filter((name) => name.startsWith(typed));
}

async function readFile(
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
  part: "raw" | number,
): Promise<Outcome<{ mimeType: string; blob: string }>> {
  const found = await locateSourceFile(env, principal, source, id, part);
  if (!found.ok) return found;
  const { key, size } = found.value;
  if (size > CONTENT_LIMITS.resourceBytes)
    return refuse(
      "too_large",
      `the file has ${size} bytes, too many for a resource`,
      `Get /sources/${source}/messages/${id}/${part === "raw" ? part : `attachments/${part}`} with your key.`,
    );
  const object = await env.BLOBS.get(key);
  if (!object)
    return refuse("not_found", "the file's bytes are no longer stored", "Ask its sender again.");
  return ok({
    mimeType: object.httpMetadata?.contentType ?? found.value.mime,
    blob: encodeBase64(new Uint8Array(await object.arrayBuffer())),
  });
}
