/** Verdicts of connected agents about messages, and corrections of people. */
import type { Principal } from "../../auth/principal.ts";
import type { SourceMessageSummary } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Tier } from "../../mess/sources/vocabulary.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withSource } from "./with-source.ts";

export const submitVerdict = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
  verdict: string,
): Promise<Outcome<SourceMessageSummary>> =>
  withSource(env, principal, source, "classify", ({ watcher }) =>
    watcher.submitVerdict(principal, id, verdict),
  );

export const correctTier = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
  tier: Tier,
): Promise<Outcome<SourceMessageSummary>> =>
  withSource(env, principal, source, "read", ({ watcher }) => watcher.correct(principal, id, tier));
