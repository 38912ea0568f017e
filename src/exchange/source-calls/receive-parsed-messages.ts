/** Stores messages that an ingress has read for a source. */
import { receiveParsed } from "../../attachments/receive-parsed.ts";
import type { KeptState, ReceivedMessage } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { ParsedMessage } from "../../source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";

type SourceBindings = Pick<Env, "SOURCES" | "HOUSEHOLDS" | "BLOBS">;

interface SourceIds {
  household: string;
  source: string;
}

const buildTarget = (env: SourceBindings, { household, source }: SourceIds) => ({
  bucket: env.BLOBS,
  household,
  source,
  quotas: getHouseholdStub(env, household).quotas,
});

/** Refuses all messages where the source is unknown, disconnected or full, or the household stores too much. */
export const receiveParsedMessages = (
  env: SourceBindings,
  ids: SourceIds,
  messages: readonly ParsedMessage[],
): Promise<Outcome<ReceivedMessage[]>> =>
  receiveParsed(
    {
      ...buildTarget(env, ids),
      receive: (stored) => getSourceStub(env, ids.household, ids.source).messages.receive(stored),
    },
    messages,
  );

/** Likewise, together with what the kind keeps. Null if that has changed since it was read; then nothing is stored. */
export const receiveWithState = (
  env: SourceBindings,
  ids: SourceIds,
  messages: readonly ParsedMessage[],
  state: KeptState,
): Promise<Outcome<ReceivedMessage[] | null>> =>
  receiveParsed(
    {
      ...buildTarget(env, ids),
      receive: (stored) =>
        getSourceStub(env, ids.household, ids.source).polling.receive(stored, state),
    },
    messages,
  );
