/** Defects through which a household could be seen by another one, or an object be created by a stranger. */
import type { Mutant } from "./mutant.ts";

const ROUTES = ["isolation/routes"];
const MCP = ["isolation/mcp"];
const STRANGERS = ["isolation/strangers"];

export const ISOLATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a thread is found by its ref alone, in any household",
    file: "src/stubs.ts",
    find: "env.THREADS.getByName(`${household}/${ref}`)",
    replace: "env.THREADS.getByName(ref.replace(/^.*[/]/, ''))",
    tests: ROUTES,
  },
  {
    name: "the household of a browser is the one that its request names",
    file: "src/auth/people/browser-session.ts",
    find: "if (!(await among(household))) return [];",
    replace: "await among(household);",
    tests: ROUTES,
  },
  {
    name: "a route is added that no probe knows",
    file: "src/ingress/http/resources/meta.ts",
    find: 'path: "/healthz",',
    replace: 'path: "/health",',
    tests: ROUTES,
  },
  {
    name: "a route tells a foreign thread from a missing one by a further look-up",
    file: "src/exchange/with-thread.ts",
    find: "if (target.length > MAX_TARGET_CHARS) return refuseThreadNotFound();",
    replace:
      "if (target.length > MAX_TARGET_CHARS) return refuseThreadNotFound();\n  const row = await env.INDEX.prepare('SELECT household FROM threads WHERE ref = ?').bind(target).first();\n  if (row) await env.INDEX.prepare('SELECT 1').first();",
    tests: ROUTES,
  },
  {
    name: "a tool is added that no probe knows",
    file: "src/ingress/mcp/tools/fetch.ts",
    find: 'name: "mess_fetch",',
    replace: 'name: "mess_get",',
    tests: MCP,
  },
  {
    name: "a kind of token is added that no probe knows",
    file: "src/auth/links/download-links.ts",
    find: '"mess download"',
    replace: '"mess fetch"',
    tests: ["isolation/credentials"],
  },
  {
    name: "a stranger's key creates the object of any household",
    file: "src/auth/api-keys.ts",
    find: "(await isKnownHousehold(env, household))\n    ?",
    replace: "household !== ''\n    ?",
    tests: STRANGERS,
  },
  {
    name: "a stranger's callback creates the object of any household",
    file: "src/ingress/webhooks/telegram.ts",
    find: "if (!(await isKnownHousehold(env, household))) return refuseUnauthenticated();",
    replace: "",
    tests: STRANGERS,
  },
  {
    name: "a stranger's sign-in link creates the object of any household",
    file: "src/ingress/pages/sign-in/sign-in.ts",
    find: "if (!link || !(await isKnownHousehold(env, link.household)))",
    replace: "if (!link)",
    tests: STRANGERS,
  },
  {
    name: "a new household cannot be called before its alarm",
    file: "src/household/settings/settings-facet.ts",
    find: "await listSelf(this.#env, stores, true, Date.now());",
    replace: "",
    tests: STRANGERS,
  },
  {
    name: "a household that was created while D1 was down is never listed",
    file: "src/household/jobs/list-household.ts",
    find: 'settings.set("list_after", now + RETRY_DELAY_MS);',
    replace: 'settings.set("listed", now);',
    tests: STRANGERS,
  },
  {
    name: "every household is locked out while the list is incomplete",
    file: "src/auth/known-households.ts",
    find: 'return found !== "absent";',
    replace: 'return found === "listed";',
    tests: STRANGERS,
  },
  {
    name: "every household is locked out while D1 is down",
    file: "src/auth/known-households.ts",
    find: "skipUntil = Date.now() + SKIP_MS;\n    return true;",
    replace: "skipUntil = Date.now() + SKIP_MS;\n    return false;",
    tests: STRANGERS,
  },
];
