/** Responds with the value of a call of the exchange as the body. */
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { HandlerResult } from "./response.ts";

export const buildBody = (outcome: Outcome<object>): Outcome<HandlerResult> =>
  outcome.ok ? ok({ body: outcome.value }) : outcome;
