/** Looks up the kinds of message sources. To add one, add its line here. */
import type { SourceKindName } from "../mess/sources/vocabulary.ts";
import { emailKind } from "./email/email.ts";
import type { SourceKind } from "./source-kind.ts";
import { webhookKind } from "./webhook/webhook.ts";

const KINDS: Partial<Record<SourceKindName, SourceKind>> = {
  email: emailKind,
  webhook: webhookKind,
};

/** Undefined for a kind that this version does not offer. */
export const findSourceKind = (kind: SourceKindName): SourceKind | undefined => KINDS[kind];

export const OFFERED_SOURCE_KINDS = Object.keys(KINDS) as readonly SourceKindName[];
