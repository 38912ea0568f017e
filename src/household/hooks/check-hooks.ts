/** Validates the addresses and secrets of lifecycle hooks, with their references filled in. */
import { isWebhookSecret } from "../../auth/callbacks/webhook-signatures.ts";
import { urlSchema } from "../../channels/shared/config-fields.ts";
import { fillUrl, hasFixedOrigin, type Hook } from "../../mess/config/hooks.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { fillReferences } from "../secrets/secret-references.ts";

/** What is not filled in has its own warning. */
export function checkHooks(hooks: JsonMap, known: ReadonlyMap<string, string>): Outcome<true> {
  for (const [event, listed] of Object.entries(hooks))
    for (const [index, written] of ((listed ?? []) as Json[]).entries()) {
      const path = `config.hooks.${event}[${index}]`;
      const { url, secret } = fillReferences(written, known) as unknown as Partial<Hook>;
      if (
        url !== undefined &&
        !(hasFixedOrigin(url) && urlSchema.safeParse(fillUrl(url, {})).success)
      )
        return refuse("bad_field", `${path}.url: not an address of a webhook`, "Write https://….", {
          path: `${path}.url`,
        });
      if (secret !== undefined && !isWebhookSecret(secret))
        return refuse(
          "bad_field",
          `${path}.secret: not a Standard Webhooks secret`,
          "Give whsec_ followed by base64 of 24 to 64 random bytes, or leave it out.",
          { path: `${path}.secret` },
        );
    }
  return ok(true);
}
