/** Classification of messages: verdicts of agents, corrections of people, dry runs. */
import { allowsAccess } from "../../auth/message-paths.ts";
import type { Principal } from "../../auth/principal.ts";
import type { DryRunEntry, SourceMessageSummary, WatcherRpc } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { MAX_DRY_RUN_MESSAGES, type Tier } from "../../mess/sources/vocabulary.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { refuseSourceNotFound } from "../../mess/sources/refusals.ts";
import type { SourceContext } from "../source-context.ts";
import { createClassifier } from "./classifiers/create-classifier.ts";
import { correctTier } from "./correct-tier.ts";
import { dryRun } from "./dry-run.ts";
import { submitVerdict } from "./submit-verdict.ts";

export class WatcherFacet implements WatcherRpc {
  readonly #context: SourceContext;
  #isDryRunning = false;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async submitVerdict(
    { paths }: Principal,
    id: string,
    text: string,
  ): Promise<Outcome<SourceMessageSummary>> {
    return this.#context.change((store, now) => {
      const mayDraft = paths === undefined || allowsAccess(paths, store.get().name, "draft");
      return submitVerdict(store, id, text, mayDraft, now);
    });
  }

  async correct(caller: Principal, id: string, tier: Tier): Promise<Outcome<SourceMessageSummary>> {
    return this.#context.change((store, now) => correctTier(store, caller, id, tier, now));
  }

  async dryRun(policy: string, limit: number): Promise<Outcome<DryRunEntry[]>> {
    const { env, store } = this.#context;
    const record = store.read();
    if (!record) return refuseSourceNotFound();
    // Each run makes up to a hundred calls, which somebody pays for.
    if (this.#isDryRunning)
      return refuse(
        "too_many",
        `a dry run of the source ${record.name} has not ended`,
        "Wait for its result.",
      );
    this.#isDryRunning = true;
    try {
      const stub = getHouseholdStub(env, record.household);
      const { classifier, ...judging } = await stub.sources.getClassification();
      const tried = { ...judging, policy: { ...judging.policy, text: policy } };
      const bounded = Math.min(limit, MAX_DRY_RUN_MESSAGES);
      return ok(await dryRun(store, createClassifier(env, classifier), tried, bounded));
    } finally {
      this.#isDryRunning = false;
    }
  }

  async catchUp(): Promise<void> {
    this.#context.change((store, now) => {
      store.classifier.restart();
      if (store.messages.listWaiting(0, 1).length > 0)
        store.jobs.put("classify", "classify", {}, now);
      return ok(true);
    });
    return Promise.resolve();
  }
}
