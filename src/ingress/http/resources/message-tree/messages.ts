/** The folder of a message in the message tree. Its texts were written by strangers. */
import type { SourceMessageView } from "../../../../contracts/sources.ts";
import { writeDraftForApproval } from "../../../../exchange/source-calls/draft-for-approval.ts";
import {
  markSourceMessage,
  readSourceMessage,
  removeSourceMessage,
} from "../../../../exchange/source-calls/source-messages.ts";
import { defined } from "../../../../mess/defined.ts";
import { CTL_USAGE, parseMessageCommand } from "../../../../mess/sources/tree/commands.ts";
import {
  MESSAGE_FILES,
  type TreeNode,
  writeTreePath,
} from "../../../../mess/sources/tree/paths.ts";
import type { HandlerPromise, HttpCall, HttpRoute } from "../../route.ts";
import { serveSourceFile } from "../../serve-source-file.ts";
import { writeMessageHeaders } from "./show-headers.ts";
import { buildLines, buildText, defineTreeRead, defineTreeWrites } from "./tree-route.ts";

/** Shows a part of the message, without marking it as seen. */
const showMessage =
  (show: (message: SourceMessageView) => string) =>
  async ({ env, principal }: HttpCall, { source, id }: TreeNode): HandlerPromise => {
    const found = await readSourceMessage(env, principal, source, id);
    return found.ok ? buildText(show(found.value)) : found;
  };

async function handleFolder(
  { env, principal }: HttpCall,
  { source, id }: TreeNode,
): HandlerPromise {
  const found = await readSourceMessage(env, principal, source, id);
  if (!found.ok) return found;
  return buildLines(MESSAGE_FILES.filter((name) => name !== "raw" || found.value.has_raw));
}

async function handleCommand(
  { env, principal, key }: HttpCall,
  { source, id }: TreeNode,
  text: string,
): HandlerPromise {
  const parsed = parseMessageCommand(text);
  if (!parsed.ok) return parsed;
  const command = parsed.value;
  if (command.type === "mark") {
    const marked = await markSourceMessage(env, principal, source, id, command.mark);
    return marked.ok ? buildText(`The message ${id} is marked: ${command.mark}.\n`) : marked;
  }
  if (command.type === "delete") {
    const removed = await removeSourceMessage(env, principal, source, id);
    return removed.ok ? buildText(`The message ${id} is deleted.\n`) : removed;
  }
  const { type, ...fields } = command;
  const draft = await writeDraftForApproval(env, principal, source, {
    message: id,
    ...fields,
    ...(type === "forward" ? { forward: true as const } : {}),
    ...defined({ key }),
  });
  if (!draft.ok) return draft;
  const path = writeTreePath({ type: "draft", source, id: draft.value.id });
  return buildText(
    `The draft ${draft.value.id} waits for the approval of an owner, and nothing is sent before.\n`,
    { Location: path },
  );
}

export const treeMessageRoutes: readonly HttpRoute[] = [
  defineTreeRead("message", { summary: "The names in the folder of a message" }, handleFolder),
  defineTreeRead(
    "messageHeaders",
    { summary: "The headers of a message, each in one line; written by a stranger" },
    showMessage(writeMessageHeaders),
  ),
  defineTreeRead(
    "messageBody",
    { summary: "The body of a message as plain text; written by a stranger" },
    showMessage(({ body }) => body),
  ),
  defineTreeRead(
    "messageRaw",
    { summary: "The message as it arrived, as a download of its own type" },
    (call) => serveSourceFile(call, "raw"),
  ),
  defineTreeRead(
    "messageStatus",
    { summary: "new, classified, drafted, sent or archived" },
    showMessage(({ status }) => `${status}\n`),
  ),
  defineTreeRead(
    "messageCtl",
    { summary: "The commands for a message" },
    showMessage(() => CTL_USAGE.messageCtl),
  ),
  ...defineTreeWrites(
    "messageCtl",
    {
      summary: "Answer, forward, mark or delete a message; answering asks an owner for an approval",
      body: "One command: reply {body}, forward {addresses}, a mark such as archive, or delete",
    },
    handleCommand,
  ),
];
