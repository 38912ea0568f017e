/** Collects everything that a kind needs to send a draft: opened settings, the answered message, and the files. */
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { defined } from "../../mess/defined.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type { KindContext, OutgoingMessage, SourceKind } from "../../source-kinds/source-kind.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import type { DraftAttachment } from "../../mess/sources/draft-content.ts";

export interface PreparedSending {
  kind: SourceKind;
  context: KindContext<unknown>;
  message: OutgoingMessage;
  /** Fingerprints of the settings, of which the approval must name one. */
  routes: readonly string[];
}

/** @returns a note why it cannot be sent, where trying again is useless. Throws where it may succeed later. */
export async function prepareSending(
  { store, env }: SourceContext,
  draft: StoredDraft,
): Promise<PreparedSending | { note: string }> {
  const { household, name: source } = store.get();
  const { seq, id, message: answered, life } = draft;
  const { content } = store.drafts.getRevision(seq, life.revision);
  const message = answered === null ? undefined : store.messages.load(answered);
  const opened = await getHouseholdStub(env, household).sources.openSettings(source);
  if (opened?.record.status !== "connected")
    return { note: "Not sent: the source is disconnected." };
  const kind = findSourceKind(opened.record.kind);
  const settings = kind?.settings.safeParse(opened.settings);
  if (!settings?.success) return { note: "Not sent: the settings of the source are not valid." };
  const reason = kind?.explainCannotSend(settings.data);
  if (!kind?.send || reason !== undefined)
    return { note: `Not sent: ${reason ?? "it cannot send"}` };
  const attachments = await loadAttachments(env, content.attachments);
  if (!attachments) return { note: "Not sent: a file of the forwarded message was deleted." };
  const { loopback, origin } = getConfig(env);
  return {
    kind,
    routes: opened.routes,
    context: {
      household,
      source,
      settings: settings.data,
      egress: createEgress({ loopback, origin }),
      env,
      now: Date.now(),
    },
    message: {
      key: `${id}-${life.revision}`,
      ...defined({ approved_by: life.approval?.by }),
      to: content.to,
      ...defined({ subject: content.subject }),
      body: content.body,
      ...(message && !content.forward ? { answers: toAnswered(message) } : {}),
      attachments,
    },
  };
}

const toAnswered = ({
  external_id,
  subject,
  details: { references, channel, headers },
}: StoredSourceMessage): NonNullable<OutgoingMessage["answers"]> => ({
  external_id,
  references,
  channel,
  headers,
  ...defined({ subject: subject ?? undefined }),
});

/** Undefined where one of them no longer exists. */
async function loadAttachments(
  { BLOBS }: Pick<Env, "BLOBS">,
  attachments: readonly DraftAttachment[],
): Promise<OutgoingMessage["attachments"] | undefined> {
  const loaded: { name: string; mime: string; bytes: Uint8Array }[] = [];
  for (const { key, name, mime } of attachments) {
    const object = await BLOBS.get(key);
    if (!object) return undefined;
    loaded.push({ name, mime, bytes: new Uint8Array(await object.arrayBuffer()) });
  }
  return loaded;
}
