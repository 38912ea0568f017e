/** Settings of a feed source. */
import * as z from "zod";
import { urlSchema } from "../../channels/shared/config-fields.ts";

export const feedSettingsSchema = z.object({
  /** Address of the RSS or Atom feed. Its path and query may be secret. */
  url: urlSchema,
});
export type FeedSettings = z.output<typeof feedSettingsSchema>;
