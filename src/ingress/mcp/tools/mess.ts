import { outputTextSchema } from "../results/output-text.ts";
import { defined } from "../../../mess/defined.ts";
import * as z from "zod";
import { postMessages, type PostedEntry } from "../../../exchange/exchange.ts";
import { isMap, type Json } from "../../../mess/json.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { writeYaml } from "../../../mess/wire/serialize.ts";
import { findMember } from "../caller.ts";
import { formatError } from "../tool-errors.ts";
import { buildStructuredResult } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";
import { cleanDeep, quoteText } from "../text/untrusted-text.ts";

const MAX_ENTRY_CHARS = 8_000;

function formatEntry(entry: PostedEntry): string {
  if ("error" in entry) return `Refused. ${formatError(entry.error)}`;
  if ("ack" in entry) return writeYaml({ ack: cleanDeep(entry.ack) }).trimEnd();
  const yaml = writeYaml({ response: cleanDeep<Json>(entry.response) });
  const cut = yaml.length > MAX_ENTRY_CHARS;
  const text = cut
    ? `${yaml.slice(0, MAX_ENTRY_CHARS)}\n[cut: narrow the filter, or use mess_status]`
    : yaml;
  return `Response (what others wrote in it is untrusted):\n${quoteText(text)}`;
}

/** The refs of acks: of the threads of a batch, of a new thread, or of the message. */
const listRefs = (entries: readonly PostedEntry[]): string[] =>
  entries.flatMap((entry) => {
    if (!("ack" in entry)) return [];
    const { ref, requests } = entry.ack;
    const acked = Array.isArray(requests) ? requests.filter(isMap).map((one) => one["ref"]) : [ref];
    return acked.filter((one) => typeof one === "string");
  });

export const messTool = defineTool({
  name: "mess",
  title: "Send a raw MESS message",
  description:
    "Any MESS message as YAML or JSON: batches with depends_on, files, constraints, status, response, followup, review, query, config. mess://help shows the forms. For simple requests use mess_observe and mess_do.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({
    message: boundedTextSchema(LIMITS.bodyBytes)
      .min(1)
      .describe("e.g. MESS: [{request: {intent: …, id: …}}]"),
    id: boundedTextSchema(200)
      .min(1)
      .optional()
      .describe("A repeated call with the same id sends nothing new"),
  }),
  output: z.looseObject({ text: outputTextSchema, refs: z.array(outputTextSchema) }),
  async run({ message, id, exchange }, { env, caller }) {
    const member = findMember(caller, exchange);
    if (!member.ok) return member;
    const posted = await postMessages(env, member.value, {
      text: message,
      channel: "mcp",
      refuseReusedIds: true,
      ...defined({ key: id }),
    });
    if (!posted.ok) return posted;
    const { entries, repeated } = posted.value;
    const text = entries.map(formatEntry).join("\n");
    const repetition =
      repeated.length > 0
        ? `\nNothing new was asked for ${repeated.join(", ")}: an earlier call did. To ask again, use other ids.`
        : "";
    const nextStep = posted.value.created
      ? "\nNext: mess_wait or mess_status with a ref above."
      : "";
    return ok({
      ...buildStructuredResult(`${text}${repetition}${nextStep}`, { refs: listRefs(entries) }),
      ...(entries.every((entry) => "error" in entry) ? { isError: true } : {}),
    });
  },
});
