/** Defects through which a household could be seen by another one, or a stranger's call have an effect. */
import type { Mutant } from "./mutant.ts";

const ROUTES = ["isolation/routes"];
const MCP = ["isolation/mcp"];
const STRANGERS = ["isolation/strangers"];
const TOKENS = ["oauth/tokens"];
const CLIENT_DOCUMENTS = ["oauth/client-documents"];
const CALL_KEYS = ["http/call-keys"];
const REGISTRATION = ["oauth/registration"];

export const ISOLATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a thread is found by its ref alone, in any household",
    file: "src/stubs.ts",
    find: "env.THREADS.getByName(`${household}/${ref}`)",
    replace: "env.THREADS.getByName(ref.replace(/^.*[/]/, ''))",
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
    name: "a new household completes the list of a deployment that has others",
    file: "src/partitions/household-list.ts",
    find: "(EXISTS (SELECT 1 FROM threads) AND NOT",
    replace: "(1 = 0 AND NOT",
    tests: STRANGERS,
  },
  {
    name: "every household is locked out while D1 is down",
    file: "src/auth/known-households.ts",
    find: "skipUntil = Date.now() + SKIP_MS;\n    return true;",
    replace: "skipUntil = Date.now() + SKIP_MS;\n    return false;",
    tests: STRANGERS,
  },
  {
    name: "an idempotency key of a message is accepted for a file",
    file: "src/thread/files/staged-uploads.ts",
    find: '  async stage({ call, ...blob }: StagedBlob & KeyedCall): Promise<Outcome<StagedBlob>> {\n    const conflict = this.#log.callKeys.check(call, "file");\n    if (conflict) return conflict;',
    replace:
      "  async stage({ call, ...blob }: StagedBlob & KeyedCall): Promise<Outcome<StagedBlob>> {",
    tests: CALL_KEYS,
  },
  {
    name: "an idempotency key of a link is accepted for a message",
    file: "src/thread/links.ts",
    find: 'this.#log.callKeys.save(call_key, "link");',
    replace: "",
    tests: CALL_KEYS,
  },
  {
    name: "an idempotency key is accepted for another path",
    file: "src/ingress/http/call-key.ts",
    find: "if (!checked.ok) return checked;",
    replace: "",
    tests: CALL_KEYS,
  },
  {
    name: "a refused call uses its idempotency key",
    file: "src/ingress/http/call-key.ts",
    find: "if (done.ok) await threads.recordCall",
    replace: "await threads.recordCall",
    tests: CALL_KEYS,
  },
  {
    name: "a link shows members to whom its thread was not offered",
    file: "src/ingress/pages/respond/state.ts",
    find: "principal.scope === undefined ? !passedOver.has(id) : offered.has(id)",
    replace: "!passedOver.has(id)",
    tests: ["respond/state"],
  },
  {
    name: "a rotated refresh token is only refused",
    file: "src/auth/oauth/refresh-reuse.ts",
    find: "if (spent && (await isReuse(env, family, spent, now))) {",
    replace: "if (spent && now < 0) {",
    tests: TOKENS,
  },
  {
    name: "a rotated refresh token is accepted until its successor is used",
    file: "src/auth/oauth/refresh-reuse.ts",
    find: "if (now - at > REUSE_GRACE_MS) return true;",
    replace: "",
    tests: TOKENS,
  },
  {
    name: "the households of a grant are not notified of a stolen refresh token",
    file: "src/auth/oauth/refresh-reuse.ts",
    find: "await getHouseholdStub(env, household).identity.revokeGrant(found.data.grant);",
    replace: "",
    tests: TOKENS,
  },
  {
    name: "the address of a client's description may be a local one",
    file: "src/ingress/pages/sign-in/client-ids.ts",
    find: "checkAddress(clientId, { loopback: false, origin }).ok",
    replace: "checkAddress(clientId, { loopback: true, origin }).ok",
    tests: CLIENT_DOCUMENTS,
  },
  {
    name: "a client's assertion names an address that is not checked",
    file: "src/ingress/pages/sign-in/oauth-endpoints.ts",
    find: '...form.getAll("client_assertion").map(readIssuer),',
    replace: "",
    tests: CLIENT_DOCUMENTS,
  },
  {
    name: "a local exchange fetches the descriptions of clients",
    file: "src/auth/oauth/oauth.ts",
    find: "clientIdMetadataDocumentEnabled: !isLoopback(new URL(origin).hostname),",
    replace: "clientIdMetadataDocumentEnabled: true,",
    tests: CLIENT_DOCUMENTS,
  },
  {
    name: "a person is sent to any scheme",
    file: "src/ingress/pages/sign-in/client-ids.ts",
    find: 'protocol.includes(".") || APP_SCHEMES.includes(protocol)',
    replace: "true",
    tests: REGISTRATION,
  },
  {
    name: "a native app takes the name of a web address",
    file: "src/ingress/pages/sign-in/client-ids.ts",
    find: "redirectIsLoopback || !/^https:/i.test(redirectUri)",
    replace: "redirectIsLoopback",
    tests: REGISTRATION,
  },
];
