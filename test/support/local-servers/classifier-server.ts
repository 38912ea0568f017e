/** Starts a local language model. */
import {
  createScriptedClassifier,
  type ScriptedClassifierOptions,
} from "../channels/classifier.ts";
import { serveLocally } from "./serve.ts";

/** `origin` for `kind: anthropic`, and with `/v1` for `kind: openai`. */
export async function startClassifier(options: ScriptedClassifierOptions) {
  const classifier = createScriptedClassifier(options);
  const { origin, stop } = await serveLocally(classifier.handle);
  return { ...classifier, origin, stop };
}
