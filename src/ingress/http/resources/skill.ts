/** Serves the agent skills for this exchange, with the deployment's own address filled in. */
import { decodeUtf8 } from "../../../bytes.ts";
import { getLinkOrigin } from "../../../config.ts";
import { refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../route.ts";

/** Files of `skill/examples/`. */
const EXAMPLES: readonly string[] = [
  "accept-suggestion.yaml",
  "action.yaml",
  "answer-questions.yaml",
  "attachments.yaml",
  "batch.yaml",
  "cancel.yaml",
  "confirm.yaml",
  "executor-answers.yaml",
  "followup.yaml",
  "observation.yaml",
  "query.yaml",
  "review.yaml",
];

/** Files of `skill/groups/examples/`. */
const GROUP_EXAMPLES: readonly string[] = [
  "agent.yaml",
  "handoff.yaml",
  "ops.yaml",
  "recovery.yaml",
];

/** Files of `skill/messages/examples/`. */
const MESSAGE_EXAMPLES: readonly string[] = ["secretary.yaml", "tidy.yaml"];

/** Returns the file of `skill/`, which is deployed with the pages, with `{origin}` replaced by the exchange's address. */
async function serveFile(
  { env, request }: NoHouseholdCall,
  path: string,
  mime: string,
): HandlerPromise {
  const file = await env.ASSETS.fetch(new URL(`/vendor/skill/${path}`, request.url));
  if (!file.ok) throw new Error(`${path} of the skill is not deployed: ${file.status}`);
  // Not `text()`, which logs a warning for YAML.
  const text = decodeUtf8(await file.bytes()) ?? "";
  const filled = text.replaceAll("{origin}", getLinkOrigin(env, request));
  return ok(new Response(filled, { headers: { "Content-Type": `${mime}; charset=utf-8` } }));
}

/** @param folder of the skill, with a slash at its end; empty for the skill of requests */
const buildExampleHandler =
  (folder: string, examples: readonly string[]) =>
  async (call: NoHouseholdCall): HandlerPromise => {
    const name = call.param("name");
    return examples.includes(name)
      ? await serveFile(call, `${folder}examples/${name}`, "application/yaml")
      : refuse("not_found", "no example has this name", "Use one of these names.", {
          valid: [...examples],
        });
  };

export const skillRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/SKILL.md",
    access: "open",
    summary: "The skill file, which explains to an agent how to use this exchange",
    produces: "text/markdown",
    handle: (call) => serveFile(call, "SKILL.md", "text/markdown"),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/examples/{name}",
    access: "open",
    summary: "One of the skill's examples, a MESS message",
    produces: "application/yaml",
    handle: buildExampleHandler("", EXAMPLES),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/groups/SKILL.md",
    access: "open",
    summary: "The skill file for AI groups, which explains to an agent how to work with others",
    produces: "text/markdown",
    handle: (call) => serveFile(call, "groups/SKILL.md", "text/markdown"),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/groups/examples/{name}",
    access: "open",
    summary: "One of its examples, a list of tool calls",
    produces: "application/yaml",
    handle: buildExampleHandler("groups/", GROUP_EXAMPLES),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/messages/SKILL.md",
    access: "open",
    summary: "The skill file for message sources, which explains to an agent how to be a secretary",
    produces: "text/markdown",
    handle: (call) => serveFile(call, "messages/SKILL.md", "text/markdown"),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/skill/messages/examples/{name}",
    access: "open",
    summary: "One of its examples, a list of tool calls",
    produces: "application/yaml",
    handle: buildExampleHandler("messages/", MESSAGE_EXAMPLES),
  }),
];
