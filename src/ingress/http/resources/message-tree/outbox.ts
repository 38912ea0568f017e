/** The outbox of a source in the message tree: drafts are written and revised here, and never sent without an approval. */
import type * as z from "zod";
import type { DraftChange, DraftView } from "../../../../contracts/sources.ts";
import { checkSourceAccess } from "../../../../exchange/source-calls/configure-source.ts";
import {
  createDraft,
  discardDraft,
  listDrafts,
  readDraft,
  requestDraftApproval,
  reviseDraft,
} from "../../../../exchange/source-calls/drafts.ts";
import { defined } from "../../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import { CTL_USAGE, parseDraftCommand } from "../../../../mess/sources/tree/commands.ts";
import { parseHeaders, parseMail } from "../../../../mess/sources/tree/header-lines.ts";
import { DRAFT_FILES, type TreeNode, writeTreePath } from "../../../../mess/sources/tree/paths.ts";
import type { HandlerPromise, HttpCall, HttpRoute } from "../../route.ts";
import { pageQuerySchema } from "./queries.ts";
import { writeDraftHeaders } from "./show-headers.ts";
import { buildLines, buildText, defineTreeRead, defineTreeWrites } from "./tree-route.ts";

async function handleFolder(
  { env, principal, query }: HttpCall<z.output<typeof pageQuerySchema>>,
  { source }: TreeNode,
): HandlerPromise {
  const page = await listDrafts(env, principal, source, query);
  if (!page.ok) return page;
  const { drafts, next_cursor: cursor } = page.value;
  const kept = drafts.filter(({ state }) => state !== "discarded");
  return buildLines(["new", ...kept.map(({ id }) => `${id}/`)], cursor);
}

async function handleNewUsage({ env, principal }: HttpCall, { source }: TreeNode): HandlerPromise {
  const allowed = await checkSourceAccess(env, principal, source, "draft");
  return allowed.ok ? buildText(CTL_USAGE.outboxNew) : allowed;
}

async function handleNew(
  { env, principal, key }: HttpCall,
  { source }: TreeNode,
  text: string,
): HandlerPromise {
  const mail = parseMail(text);
  if (!mail.ok) return mail;
  const draft = await createDraft(env, principal, source, { ...mail.value, ...defined({ key }) });
  if (!draft.ok) return draft;
  const { id } = draft.value;
  return buildText(`${id}\n`, { Location: writeTreePath({ type: "draft", source, id }) });
}

/** Shows a part of the draft, with its revision as entity tag. */
const showDraft =
  (show: (draft: DraftView) => string) =>
  async ({ env, principal }: HttpCall, { source, id }: TreeNode): HandlerPromise => {
    const found = await readDraft(env, principal, source, id);
    return found.ok ? buildText(show(found.value), { ETag: `"${found.value.revision}"` }) : found;
  };

/** The revision that the caller has read, by the `If-Match` of its call; undefined without one. */
function readRevision(request: Request): Outcome<number | undefined> {
  const tag = request.headers.get("If-Match");
  if (tag === null) return ok(undefined);
  const [, digits] = /^"(\d{1,6})"$/.exec(tag) ?? [];
  return digits === undefined
    ? refuse(
        "bad_parameter",
        "If-Match is not the ETag of a draft",
        "Send the ETag as you got it.",
        {
          path: "If-Match",
        },
      )
    : ok(Number(digits));
}

async function revise(
  { env, principal, request }: HttpCall,
  { source, id }: TreeNode,
  buildChange: (draft: DraftView) => Outcome<Omit<DraftChange, "revision">>,
): HandlerPromise {
  const read = readRevision(request);
  if (!read.ok) return read;
  const draft = await readDraft(env, principal, source, id);
  if (!draft.ok) return draft;
  const change = buildChange(draft.value);
  if (!change.ok) return change;
  const revision = read.value ?? draft.value.revision;
  const revised = await reviseDraft(env, principal, source, id, { ...change.value, revision });
  if (!revised.ok) return revised;
  return buildText(`The draft ${id} is at revision ${revised.value.revision}.\n`, {
    ETag: `"${revised.value.revision}"`,
  });
}

const handleHeaders = (call: HttpCall, node: TreeNode, text: string): HandlerPromise =>
  revise(call, node, (draft) => {
    const headers = parseHeaders(text);
    if (!headers.ok) return headers;
    const { message, ...change } = headers.value;
    return message === undefined || message === draft.message
      ? ok(change)
      : refuse(
          "bad_field",
          "headers: In-Reply-To of a draft never changes",
          "Write a new draft for another message.",
        );
  });

const handleBody = (call: HttpCall, node: TreeNode, text: string): HandlerPromise =>
  revise(call, node, () => ok({ body: text }));

async function handleCommand(
  { env, principal }: HttpCall,
  { source, id }: TreeNode,
  text: string,
): HandlerPromise {
  const command = parseDraftCommand(text);
  if (!command.ok) return command;
  const isSend = command.value === "send";
  const work = isSend ? requestDraftApproval : discardDraft;
  const done = await work(env, principal, source, id);
  if (!done.ok) return done;
  return buildText(
    isSend
      ? `The draft ${id} waits for the approval of an owner, and nothing is sent before.\n`
      : `The draft ${id} is discarded.\n`,
  );
}

export const treeOutboxRoutes: readonly HttpRoute[] = [
  defineTreeRead(
    "outbox",
    {
      summary: "The names in the outbox: the drafts that are not discarded, newest first",
      description:
        "Where there are more, the header X-MESS-Cursor has the cursor of the next page.",
      query: pageQuerySchema,
    },
    handleFolder,
  ),
  defineTreeRead("outboxNew", { summary: "How to write a draft" }, handleNewUsage),
  ...defineTreeWrites(
    "outboxNew",
    {
      summary: "Write a draft; returns its id",
      body: "Headers To, Subject and In-Reply-To, an empty line and the body, as in a mail",
    },
    handleNew,
  ),
  defineTreeRead(
    "draft",
    { summary: "The names in the folder of a draft" },
    showDraft(() => DRAFT_FILES.map((name) => `${name}\n`).join("")),
  ),
  defineTreeRead(
    "draftHeaders",
    { summary: "The headers of a draft, with its state and revision" },
    showDraft(writeDraftHeaders),
  ),
  ...defineTreeWrites(
    "draftHeaders",
    {
      summary: "Change the recipients or the subject of a draft",
      body: "To and Subject; one that is left out stays. With If-Match, only the revision with this ETag",
    },
    handleHeaders,
  ),
  defineTreeRead(
    "draftBody",
    { summary: "The body of a draft" },
    showDraft(({ body }) => body),
  ),
  ...defineTreeWrites(
    "draftBody",
    {
      summary: "Change the body of a draft",
      body: "The body. With If-Match, only the revision with this ETag",
    },
    handleBody,
  ),
  defineTreeRead(
    "draftCtl",
    { summary: "The commands for a draft" },
    showDraft(() => CTL_USAGE.draftCtl),
  ),
  ...defineTreeWrites(
    "draftCtl",
    {
      summary: "Ask an owner to approve a draft, or discard it",
      body: "send or discard. send sends nothing: an owner approves it first",
    },
    handleCommand,
  ),
];
