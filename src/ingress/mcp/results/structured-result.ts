/**
 * The structured part of tool results. It repeats the text, since some clients show their model only this part. Each
 * text of another member is put on one line.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Principal } from "../../../auth/principal.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { defined } from "../../../mess/defined.ts";
import { listSplitParts } from "../../../exchange/follow-superseded.ts";
import { listOpenQuestions } from "./open-questions.ts";
import { outputTextSchema } from "./output-text.ts";
import { describeMessage } from "../text/describe-message.ts";
import { canReply, listOthersMessages } from "../text/describe-thread.ts";
import { inlineText } from "../text/untrusted-text.ts";

const MAX_QUESTION_CHARS = 500;
const MAX_FILES = 20;

const recordsSchema = z.array(z.looseObject({})).optional();

/** A request. The listed schema names only the fields that a client can rely on. */
const REQUEST_OUTPUT = {
  ref: outputTextSchema.optional(),
  status: outputTextSchema.optional(),
  cursor: z.int().optional(),
  questions: recordsSchema,
  files: recordsSchema,
};

export const requestOutputSchema = z.looseObject({ text: outputTextSchema, ...REQUEST_OUTPUT });

/** One request, or several. */
export const requestsOutputSchema = z.looseObject({
  text: outputTextSchema,
  ...REQUEST_OUTPUT,
  requests: recordsSchema,
});

type StructuredRequest = Record<string, unknown> & { ref: string; status: string };

/** @param view its messages are the ones whose files are listed */
export function toStructuredRequest(view: ResourceView, viewer: Principal): StructuredRequest {
  const { envelope, cursor, open } = view;
  const { ref, status, executor } = envelope;
  const isMine = canReply(envelope, viewer);
  const questions = listOpenQuestions(view).map(({ key, question, options }) => ({
    key: inlineText(key, 60),
    question: inlineText(question, MAX_QUESTION_CHARS),
    ...(options.length > 0 ? { options } : {}),
  }));
  const files = listOthersMessages(view, viewer).flatMap(
    (document) => describeMessage(document).files,
  );
  const suggestions = open.suggestions.map(({ made_in, type }) => ({
    re: `${ref}/${made_in}`,
    ...defined({ type }),
  }));
  const parts = listSplitParts(envelope);
  return {
    ref,
    status,
    cursor,
    executor,
    questions: isMine ? questions : [],
    ...(isMine && status === "needs_confirmation" && open.action
      ? { action: inlineText(open.action.text, MAX_QUESTION_CHARS) }
      : {}),
    ...(isMine && suggestions.length > 0 ? { suggestions } : {}),
    ...(parts.length > 1 ? { parts } : {}),
    files: files.slice(-MAX_FILES).map(({ uri, mime, size }) => ({
      uri: inlineText(uri, 400),
      mime: inlineText(mime, 60),
      ...defined({ size }),
    })),
  };
}

export const buildStructuredResult = (text: string, fields: object): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: { text, ...fields },
});
