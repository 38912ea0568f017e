/**
 * `POST /respond/renew`: the bearer of a dead link wants a new one. No link is ever given here: the wish goes into
 * the thread's history and the household's events, where whoever can make one sees it.
 */
import { householdStub, threadStub } from "../../../stubs.ts";
import { authenticateLinkSession } from "../../../auth/links/link-sessions.ts";
import { configOf } from "../../../config.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { fail, ok } from "../../../mess/result.ts";
import { refusal } from "../../http/response.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";
import { findLink, type ShownLink, shownLink } from "./open-link.ts";
import { foreignFault } from "./check-origin.ts";

interface Wish {
  household: string;
  ref: string;
  executor: string;
  jti: string;
}

async function renew({ env, request }: OpenCall): Handled {
  const foreign = foreignFault(request);
  if (foreign) return fail(foreign);
  const shown = await readObject(request, shownLink);
  if (!shown.ok) return shown;
  const wish = await wishOf(env, request, shown.value);
  if (!wish.ok) return wish;
  const { household, ref, executor, jti } = wish.value;
  const wanted = await threadStub(env, household, ref).askForLink(executor, jti);
  if (!wanted.ok) return wanted;
  // Told again where an earlier call broke off here: the household logs it once an hour.
  await householdStub(env, household).linkWanted(wanted.value.summary, executor);
  if (wanted.value.fresh) return ok({ body: { asked: true } });
  const error = {
    code: "rate_limited",
    message: "a new link was asked for within the last hour",
    hint: "Wait for it to come by the way on which the first one came.",
  } as const;
  return ok(refusal(request, error, { "Retry-After": "3600" }));
}

/** Who wishes for which thread: by the dead link, else by the browser's session for a revoked one. */
async function wishOf(env: Env, request: Request, shown: ShownLink): Promise<Outcome<Wish>> {
  if (shown.token !== undefined || shown.code !== undefined || shown.ref === undefined)
    return await findLink(env, shown);
  const bearer = await authenticateLinkSession(configOf(env).secret, request, shown.ref);
  if (!bearer.ok) return bearer;
  const { household, actor, scope } = bearer.value;
  return ok({ household, ref: shown.ref, executor: actor, jti: scope?.jti ?? "" });
}

export const renewRoutes: readonly Route[] = [
  openRoute({
    method: "post",
    path: "/respond/renew",
    access: "open",
    summary: "Ask for a new link where this one is dead; once an hour for an executor and a thread",
    body: {
      description: "{token} or {code}, as the dead link had it",
      types: TEXT_TYPES,
      schema: shownLink,
    },
    handle: renew,
  }),
];
