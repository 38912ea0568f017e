/** Creates the classifier that the household has set up. */
import { getConfig } from "../../../config.ts";
import type { ClassifierConfig } from "../../../contracts/household-sources.ts";
import { createEgress } from "../../../egress/egress-fetch.ts";
import type { Classifier } from "./classifier.ts";
import { createHttpClassifier } from "./http-classifier.ts";
import { createWorkersAiClassifier, type WorkersAi } from "./workers-ai.ts";

/** Undefined where nothing is called: messages wait for a connected agent. */
export function createClassifier(
  env: Env,
  config: ClassifierConfig | undefined,
): Classifier | undefined {
  if (config === undefined || config.kind === "agent") return undefined;
  if (config.kind === "workers_ai")
    return createWorkersAiClassifier(config.model, (env as { AI?: WorkersAi }).AI);
  const { origin, loopback } = getConfig(env);
  return createHttpClassifier(config, createEgress({ loopback, origin }));
}
