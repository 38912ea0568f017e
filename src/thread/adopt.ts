/** An imported thread becomes the record of this object (decision 63). */
import { canonicalJson } from "../mess/json.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Message } from "../mess/schema.ts";
import { blocksOf } from "../mess/message.ts";
import { restoreThread } from "../mess/thread/restore.ts";
import { envelopeOf } from "../mess/thread/envelope.ts";
import type { ThreadLog } from "./log.ts";
import { exists, migrate } from "./migrations.ts";
import { addWords } from "./search-text.ts";
import type { AdoptInput } from "./stub.ts";

/** Runs inside the caller's transaction. The same thread again is no change; another under the ref is refused. */
export function adopt(
  sql: SqlStorage,
  log: ThreadLog,
  input: AdoptInput,
  now: number,
): Outcome<{ fresh: boolean }> {
  const { envelope, messages, attachments } = input;
  if (exists(sql)) {
    const held = envelopeOf(log.state(), log.history(), log.fact("extra"));
    const same =
      canonicalJson([held, log.documentsAfter(0)]) === canonicalJson([envelope, messages]);
    return same
      ? ok({ fresh: false })
      : refuse(
          "already_exists",
          `${envelope.ref} is taken by another thread`,
          "Import it into another household.",
        );
  }
  migrate(sql);
  const { state, documents } = restoreThread(envelope, messages, input.zone, now);
  log.begin(input.household, state);
  log.commit({ state, documents, history: envelope.history });
  for (const attachment of attachments) log.insertAttachment(attachment);
  if (envelope.extra) log.setFact("extra", JSON.stringify(envelope.extra));
  const words = messages.reduce((sum, { MESS }) => {
    const message: Message = { blocks: blocksOf(MESS) };
    return addWords(sum, message);
  }, "");
  log.setFact("text", words);
  return ok({ fresh: true });
}
