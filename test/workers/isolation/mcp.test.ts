/** Uses every tool, resource and method of the MCP server with the credentials of another household. */
import { describe, expect, it } from "vitest";
import { readHouseholdContents } from "../reliability/store-contents.ts";
import { buildLegacyRequest, buildModernRequest, callRpc, TASKS } from "../mcp/support.ts";
import { METHOD_PROBES, TEMPLATE_VALUES, TOOL_PROBES } from "./mcp-probes.ts";
import { type Answer, findLeaks, maskNames, sendPair, useScene } from "./scene.ts";
import { listMcpMethods } from "./surface.ts";
import type { Names } from "./twins.ts";

type Parameters = Record<string, unknown>;

const getScene = useScene();

const PROBERS = ["owner", "agent", "executor", "connector", "key with the victim's household id"];

/** Methods that only clients of the 2025 revisions have. */
const SESSION_METHODS = ["resources/subscribe", "resources/unsubscribe"];
const SESSION = "00000000-0000-4000-8000-000000000000.2025-11-25.";

const callMethod = async (
  method: string,
  parameters: Parameters,
  headers: Record<string, string>,
): Promise<Answer> => {
  const capabilities = method.startsWith("tasks/") ? { extensions: { [TASKS]: {} } } : {};
  const init = SESSION_METHODS.includes(method)
    ? buildLegacyRequest(method, parameters, { "Mcp-Session-Id": SESSION })
    : buildModernRequest(method, parameters, { capabilities });
  const response = await getScene().send({ path: "/mcp", init }, headers);
  return { ...response, text: response.text.replaceAll(/"id":\d+/g, '"id":0') };
};

/** Compares the answers to parameters that name the victim's things with those that name nothing. */
async function expectNoDifference(
  method: string,
  build: (names: Names) => readonly Parameters[],
): Promise<void> {
  const { victim, absent, callers, foreignTexts } = getScene();
  let count = 0;
  for (const [{ who, headers, namesHousehold }, { headers: headersOfNothing }] of callers) {
    if (!PROBERS.includes(who)) continue;
    for (const [index, real] of build(victim.names).entries()) {
      const nothing = build(absent)[index]!;
      const label = `${method} ${JSON.stringify(real)} as ${who}`;
      const [foreign, missing] = await sendPair(
        () => callMethod(method, real, headers),
        () => callMethod(method, nothing, headersOfNothing),
      );

      expect(findLeaks(foreign, real, foreignTexts), label).toEqual([]);
      count++;
      if (JSON.stringify(real) === JSON.stringify(nothing)) continue;
      // A new request is acked under a new ref each time.
      if (foreign.text.includes('"ref":"2')) continue;
      expect(maskNames(foreign.text, victim.names), label).toBe(maskNames(missing.text, absent));
      if (!namesHousehold) expect(foreign.work, label).toEqual(missing.work);
    }
  }
  expect(count).toBeGreaterThanOrEqual(PROBERS.length);
}

/** Names of things that the server lists. */
async function listNames(method: string, key: string, field: string): Promise<string[]> {
  const { result } = await callRpc(getScene().victim.home.owner, method);
  return (result[key] as Record<string, string>[]).map((one) => one[field] ?? "");
}

describe("isolation of households in MCP", () => {
  it("every method of the server has a probe or is declared public", () => {
    const methods = listMcpMethods();

    expect(
      methods.filter((method) => !Object.hasOwn(METHOD_PROBES, method)),
      "these methods need a probe in test/workers/isolation/mcp-probes.ts, or a reason there why they are public",
    ).toEqual([]);
    expect(methods).toContain("tools/call");
  });

  it("every tool has a probe, and every probe has a tool", async () => {
    expect(
      (await listNames("tools/list", "tools", "name")).toSorted(),
      "every tool needs a probe in TOOL_PROBES of test/workers/isolation/mcp-probes.ts",
    ).toEqual(Object.keys(TOOL_PROBES).toSorted());
  });

  it.each(Object.entries(TOOL_PROBES))(
    "a tool answers about another household's things as about nothing: %s",
    async (name, build) => {
      await expectNoDifference("tools/call", (names) =>
        build(names).map((given) => ({ name, arguments: given })),
      );
    },
    60_000,
  );

  it.each(
    Object.entries(METHOD_PROBES).flatMap(([method, build]) =>
      typeof build === "function" ? [[method, build] as const] : [],
    ),
  )(
    "a method answers about another household's things as about nothing: %s",
    async (method, build) => {
      await expectNoDifference(method, build);
    },
    60_000,
  );

  it("every resource shows nothing of another household", async () => {
    const uris = await listNames("resources/list", "resources", "uri");

    expect(uris.length).toBeGreaterThan(3);
    for (const uri of uris) await expectNoDifference("resources/read", () => [{ uri }]);
  }, 60_000);

  it("every resource template shows another household's things as nothing", async () => {
    const templates = await listNames(
      "resources/templates/list",
      "resourceTemplates",
      "uriTemplate",
    );

    expect(templates.length).toBeGreaterThan(3);
    for (const template of templates) {
      const variables = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
      const unknown = variables.filter((name) => !Object.hasOwn(TEMPLATE_VALUES, name));
      expect(unknown, `${template}: add the variable to TEMPLATE_VALUES in mcp-probes.ts`).toEqual(
        [],
      );
      await expectNoDifference("resources/read", (names) =>
        TEMPLATE_VALUES[variables[0]!]!(names).map((first) => ({
          uri: variables
            .slice(1)
            .reduce(
              (uri, name) => uri.replace(`{${name}}`, TEMPLATE_VALUES[name]!(names)[0]!),
              template.replace(`{${variables[0]!}}`, first),
            ),
        })),
      );
    }
  }, 60_000);

  it("the calls change nothing in the victim's household, which itself finds everything", async () => {
    const { victim, before } = getScene();
    const { agent } = victim.home;

    expect(await readHouseholdContents(victim.home.id)).toEqual(before);
    for (const uri of [
      `thread://${victim.names.ref}`,
      `mess://request/${victim.names.clientId}`,
      `content://${victim.names.ref}/${victim.names.file}`,
    ])
      expect((await callRpc(agent, "resources/read", { uri })).error, uri).toBeUndefined();
    const { result } = await callRpc(agent, "tools/call", {
      name: "mess_status",
      arguments: { re: victim.names.ref },
    });
    expect(JSON.stringify(result)).toContain(victim.canary);
  });
});
