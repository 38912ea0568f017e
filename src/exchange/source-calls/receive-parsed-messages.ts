/** Stores messages that an ingress has read for a source. The owners see in the source's status that one was refused. */
import { type ParsedTarget, receiveParsed } from "../../attachments/receive-parsed.ts";
import type { KindStateChange, ReceivedMessage } from "../../contracts/sources.ts";
import type { ErrorCode, Outcome } from "../../mess/errors.ts";
import type { ParsedMessage } from "../../source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";

type SourceBindings = Pick<Env, "SOURCES" | "HOUSEHOLDS" | "BLOBS">;

interface SourceIds {
  household: string;
  source: string;
}

/** Refusals that the owners have decided. */
const EXPECTED_CODES: readonly ErrorCode[] = ["source_disconnected", "not_found"];

/** Refuses all messages where the source is unknown, disconnected or full, or the household stores too much. */
export const receiveParsedMessages = (
  env: SourceBindings,
  ids: SourceIds,
  messages: readonly ParsedMessage[],
): Promise<Outcome<ReceivedMessage[]>> =>
  storeOrReport(env, ids, messages, (stored) =>
    getSourceStub(env, ids.household, ids.source).messages.receive(stored),
  );

/** Likewise, together with what the kind keeps. Null if that has changed since it was read; then nothing is stored. */
export const receiveWithState = (
  env: SourceBindings,
  ids: SourceIds,
  messages: readonly ParsedMessage[],
  state: KindStateChange,
): Promise<Outcome<ReceivedMessage[] | null>> =>
  storeOrReport(env, ids, messages, (stored) =>
    getSourceStub(env, ids.household, ids.source).kind.receive(stored, state),
  );

async function storeOrReport<Received extends ReceivedMessage[] | null>(
  env: SourceBindings,
  { household, source }: SourceIds,
  messages: readonly ParsedMessage[],
  receive: ParsedTarget<Received>["receive"],
): Promise<Outcome<Received>> {
  const { quotas } = getHouseholdStub(env, household);
  const target = { bucket: env.BLOBS, household, source, quotas, receive };
  const received = await receiveParsed(target, messages);
  if (!received.ok && !EXPECTED_CODES.includes(received.error.code))
    await getSourceStub(env, household, source).messages.reportNotStored(received.error.message);
  return received;
}
