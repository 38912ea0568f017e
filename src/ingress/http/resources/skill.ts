/** Serves the agent skill for this exchange, with the deployment's own address filled in. */
import { getLinkOrigin } from "../../../config.ts";
import skill from "../../../../skill/SKILL.md";
import acceptSuggestion from "../../../../skill/examples/accept-suggestion.yaml";
import action from "../../../../skill/examples/action.yaml";
import answerQuestions from "../../../../skill/examples/answer-questions.yaml";
import attachments from "../../../../skill/examples/attachments.yaml";
import batch from "../../../../skill/examples/batch.yaml";
import cancel from "../../../../skill/examples/cancel.yaml";
import confirm from "../../../../skill/examples/confirm.yaml";
import executorAnswers from "../../../../skill/examples/executor-answers.yaml";
import followup from "../../../../skill/examples/followup.yaml";
import observation from "../../../../skill/examples/observation.yaml";
import query from "../../../../skill/examples/query.yaml";
import review from "../../../../skill/examples/review.yaml";
import { refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../route.ts";

const EXAMPLE_FILES: ReadonlyMap<string, string> = new Map([
  ["accept-suggestion.yaml", acceptSuggestion],
  ["action.yaml", action],
  ["answer-questions.yaml", answerQuestions],
  ["attachments.yaml", attachments],
  ["batch.yaml", batch],
  ["cancel.yaml", cancel],
  ["confirm.yaml", confirm],
  ["executor-answers.yaml", executorAnswers],
  ["followup.yaml", followup],
  ["observation.yaml", observation],
  ["query.yaml", query],
  ["review.yaml", review],
]);

/** Returns the file from `skill/`, with `{origin}` replaced by the address of the exchange. */
function buildSkillResponse(
  { env, request }: NoHouseholdCall,
  text: string,
  mime: string,
): Response {
  const origin = getLinkOrigin(env, request);
  return new Response(text.replaceAll("{origin}", origin), {
    headers: { "Content-Type": `${mime}; charset=utf-8` },
  });
}

async function showExample(call: NoHouseholdCall): HandlerPromise {
  const text = EXAMPLE_FILES.get(call.param("name"));
  return text === undefined
    ? refuse("not_found", "no example has this name", "Use one of these names.", {
        valid: [...EXAMPLE_FILES.keys()],
      })
    : ok(buildSkillResponse(call, text, "application/yaml"));
}

export const skillRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/SKILL.md",
    access: "open",
    summary: "The skill file, which explains to an agent how to use this exchange",
    produces: "text/markdown",
    handle: async (call) => ok(buildSkillResponse(call, skill, "text/markdown")),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/examples/{name}",
    access: "open",
    summary: "One of the skill's examples, a MESS message",
    produces: "application/yaml",
    handle: showExample,
  }),
];
