import type { SourceSendResult } from "./source-kind.ts";

/** Another attempt has the same end until the owner changes the draft or the settings. */
export const failForGood = (reason: string): SourceSendResult => ({
  ok: false,
  reason,
  isPermanent: true,
});
