/** Looks up the kinds of message sources. */
import type { SourceKindName } from "../mess/sources/vocabulary.ts";
import type { SourceKind } from "./source-kind.ts";

const KINDS: Partial<Record<SourceKindName, SourceKind>> = {};

/** Undefined for a kind that this version does not offer. */
export const findSourceKind = (kind: SourceKindName): SourceKind | undefined => KINDS[kind];
