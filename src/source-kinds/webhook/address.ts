/** The URL to which the services of a source post. */
import type { AddressParts } from "../source-kind.ts";

/** Undefined where the deployment has no public origin. */
export const buildWebhookAddress = ({
  household,
  source,
  origin,
}: AddressParts): string | undefined =>
  origin === undefined ? undefined : `${origin}/hooks/sources/${household}/${source}`;
