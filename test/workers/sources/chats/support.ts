/** Chat households with a message source of the channel's kind, and the messages in it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SourceMessageView, SourceStatus } from "../../../../src/contracts/sources.ts";
import { createEgress } from "../../../../src/egress/egress-fetch.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { findSourceKind } from "../../../../src/source-kinds/registry.ts";
import type {
  OutgoingMessage,
  SourceSendResult,
} from "../../../../src/source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../../../src/stubs.ts";
import { unwrap } from "../../outcomes.ts";
import { expectOkJson, type TestHousehold } from "../../support.ts";

export const SOURCE = "chat";

export const addSource = async ({ owner }: Pick<TestHousehold, "owner">, entry: JsonMap) =>
  await expectOkJson(await owner.postBlocks({ config: { sources: { [SOURCE]: entry } } }));

/** The messages of the source, oldest first. */
export async function listInSource({
  id,
}: Pick<TestHousehold, "id">): Promise<SourceMessageView[]> {
  const { messages } = getSourceStub(env, id, SOURCE);
  return (await messages.listAll(0, 100)).messages;
}

/** Pretends that the source has this many messages. */
export const setMessageCount = async (
  { id }: Pick<TestHousehold, "id">,
  count: number,
): Promise<void> =>
  await runInDurableObject(env.SOURCES.getByName(`${id}/${SOURCE}`), (_object, { storage }) => {
    storage.sql.exec("UPDATE state SET messages = ?", count);
  });

export const readSourceStatus = async ({ id }: Pick<TestHousehold, "id">): Promise<SourceStatus> =>
  unwrap(await getSourceStub(env, id, SOURCE).messages.status());

/** Sends a message as the outbox does, with the opened settings. */
export async function sendFromSource(
  { id: household }: Pick<TestHousehold, "id">,
  message: Partial<OutgoingMessage> & Pick<OutgoingMessage, "to">,
): Promise<SourceSendResult> {
  const opened = await getHouseholdStub(env, household).sources.openSettings(SOURCE);
  if (!opened) throw new Error("the source has no settings");
  const kind = findSourceKind(opened.record.kind)!;
  const context = {
    household,
    source: SOURCE,
    settings: kind.settings.parse(opened.settings),
    egress: createEgress({ loopback: false, origin: undefined }),
    env,
    now: Date.now(),
  };
  return await kind.send!(context, {
    key: "d-1-1",
    body: "Thank you",
    attachments: [],
    ...message,
  });
}
