/** Fields that the configurations of several channels share. */
import * as z from "zod";
import { ADDRESS_HINT, isPossibleAddress } from "../../egress/egress-address.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";

export const urlSchema = boundedTextSchema(LIMITS.urlChars).pipe(
  z
    .url({ protocol: /^https?$/, error: "an address such as https://example.com/hook" })
    .refine(isPossibleAddress, {
      error: "not an address to which the exchange sends",
      params: { hint: ADDRESS_HINT },
    }),
);
export const secretSchema = boundedTextSchema(4_096).trim().min(1);
export const shortTextSchema = boundedTextSchema(256).trim().min(1);
/** Base URL of the channel's API; the provider's own by default. */
export const apiUrlSchema = urlSchema.optional();

/** For channels that have nothing to set up under `dispatch`. */
export const noSettingsSchema = z.object({});

/** Keys of settings and addresses that hold a URL, whose path and query may be secret. */
export const ADDRESS_KEYS: readonly string[] = ["url", "api"];

export const trimIdentity = (address: unknown): string => String(address).trim();
