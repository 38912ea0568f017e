/** The link that a page or a form was opened with: its token, or the code of its short address. */
import { threadStub } from "../../../stubs.ts";
import * as z from "zod";
import { linkDead } from "../../../auth/links/inactive-link.ts";
import { bearerOfLink, type LinkInput, readLink } from "../../../auth/links/links.ts";
import { readShortCode } from "../../../auth/links/short-links.ts";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { configOf } from "../../../config.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";

const text = (maxChars: number) => boundedText(maxChars).exactOptional();

/** How a link is shown. `ref` is what the page took it for. */
export const shownLink = z.strictObject({
  token: text(LIMITS.tokenChars),
  code: text(256),
  ref: text(260),
});

export type ShownLink = z.output<typeof shownLink>;

/** A link that we made, whether or not it is still good. */
export interface FoundLink extends LinkInput {
  expired: boolean;
}

/** The link, dead or alive. What we did not make is refused alike, and asks no object. */
export async function findLink(env: Env, shown: ShownLink): Promise<Outcome<FoundLink>> {
  const { secret } = configOf(env);
  const found =
    shown.token === undefined
      ? await findCode(env, secret, shown.code ?? "")
      : await readLink(secret, shown.token);
  return found && (shown.ref ?? found.ref) === found.ref ? ok(found) : unauthenticated();
}

async function findCode(env: Env, secret: string, text: string): Promise<FoundLink | undefined> {
  const code = await readShortCode(secret, text);
  if (!code) return undefined;
  const { household, ref, number } = code;
  const given = await threadStub(env, household, ref).linkNumbered(number);
  return given
    ? { ...given, household, ref, expired: given.expires * 1_000 <= Date.now() }
    : undefined;
}

/** The link where it still opens its thread; else how it died. */
export async function openLink(env: Env, shown: ShownLink): Promise<Outcome<LinkInput>> {
  const found = await findLink(env, shown);
  if (!found.ok) return found;
  if (found.value.expired) return linkDead("expired");
  const { household, ref } = found.value;
  const may = await threadStub(env, household, ref).mayUpload(bearerOfLink(found.value));
  return may.ok ? found : may;
}
