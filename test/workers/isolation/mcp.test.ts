/** Uses every tool, resource and method of the MCP server with the credentials of another household. */
import { describe, expect, it } from "vitest";
import { MCP_PATHS, type McpPath } from "../../../src/auth/oauth/resources.ts";
import { readHouseholdContents } from "../reliability/store-contents.ts";
import {
  buildLegacyRequest,
  buildModernRequest,
  callRpc,
  callTool,
  TASKS,
} from "../mcp/support.ts";
import {
  MESSAGE_TEMPLATE_VALUES,
  METHOD_PROBES,
  SOURCE_WAIT_TASK_PROBES,
  TEMPLATE_VALUES,
  TOOL_PROBES_BY_PATH,
  WAIT_TASK_PROBES,
} from "./mcp-probes.ts";
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
  path: McpPath,
  method: string,
  parameters: Parameters,
  headers: Record<string, string>,
): Promise<Answer> => {
  const capabilities = method.startsWith("tasks/") ? { extensions: { [TASKS]: {} } } : {};
  const init = SESSION_METHODS.includes(method)
    ? buildLegacyRequest(method, parameters, { "Mcp-Session-Id": SESSION })
    : buildModernRequest(method, parameters, { capabilities });
  const response = await getScene().send({ path, init }, headers);
  return { ...response, text: response.text.replaceAll(/"id":\d+/g, '"id":0') };
};

/** Compares the answers to parameters that name the victim's things with those that name nothing. */
async function expectNoDifference(
  path: McpPath,
  method: string,
  build: (names: Names) => readonly Parameters[],
): Promise<void> {
  const { attacker, victim, absent, callers, foreignTexts } = getScene();
  // An access token is valid at one address only.
  const ofGroups = { Authorization: `Bearer ${attacker.groupTokens.access_token}` };
  const ofMessages = { Authorization: `Bearer ${attacker.messageTokens.access_token}` };
  let count = 0;
  for (const [{ who, headers, namesHousehold }, { headers: headersOfNothing }] of callers) {
    if (!PROBERS.includes(who)) continue;
    const forPath = (own: Record<string, string>) =>
      who !== "connector" || path === "/mcp"
        ? own
        : path === "/mcp/messages"
          ? ofMessages
          : ofGroups;
    for (const [index, real] of build(victim.names).entries()) {
      const nothing = build(absent)[index]!;
      const label = `${path} ${method} ${JSON.stringify(real)} as ${who}`;
      const [foreign, missing] = await sendPair(
        () => callMethod(path, method, real, forPath(headers)),
        () => callMethod(path, method, nothing, forPath(headersOfNothing)),
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
async function listNames(
  method: string,
  key: string,
  field: string,
  path: McpPath = "/mcp",
): Promise<string[]> {
  const { result } = await callRpc(getScene().victim.home.owner, method, {}, { path });
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

  it.each(MCP_PATHS)("every tool at %s has a probe, and every probe has a tool", async (path) => {
    expect(
      (await listNames("tools/list", "tools", "name", path)).toSorted(),
      "every tool needs a probe in test/workers/isolation/mcp-probes.ts",
    ).toEqual(Object.keys(TOOL_PROBES_BY_PATH[path]).toSorted());
  });

  it.each(
    (["/mcp", "/mcp/groups", "/mcp/messages"] as const).flatMap((path) =>
      Object.entries(TOOL_PROBES_BY_PATH[path]).map(
        ([name, build]) => [path, name, build] as const,
      ),
    ),
  )(
    "a tool at %s answers about another household's things as about nothing: %s",
    async (path, name, build) => {
      await expectNoDifference(path, "tools/call", (names) =>
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
      await expectNoDifference("/mcp", method, build);
    },
    60_000,
  );

  it.each(
    (["/mcp/groups", "/mcp/all"] as const).flatMap((path) =>
      Object.entries(WAIT_TASK_PROBES).map(([method, build]) => [path, method, build] as const),
    ),
  )(
    "the task of another household's wait is like none at %s: %s",
    async (path, method, build) => {
      await expectNoDifference(path, method, build);
    },
    60_000,
  );

  it.each(
    Object.entries(SOURCE_WAIT_TASK_PROBES).map(([method, build]) => [method, build] as const),
  )(
    "the task of a wait for another household's source is like none: %s",
    async (method, build) => {
      await expectNoDifference("/mcp/messages", method, build);
    },
    60_000,
  );

  it.each(["/mcp", "/mcp/messages"] as const)(
    "every resource at %s shows nothing of another household",
    async (path) => {
      const uris = await listNames("resources/list", "resources", "uri", path);

      expect(uris.length).toBeGreaterThan(path === "/mcp" ? 3 : 0);
      for (const uri of uris) await expectNoDifference(path, "resources/read", () => [{ uri }]);
      await expectNoDifference(path, "resources/list", () => [{}]);
    },
    60_000,
  );

  it.each([
    ["/mcp", TEMPLATE_VALUES, 4],
    ["/mcp/messages", MESSAGE_TEMPLATE_VALUES, 2],
  ] as const)(
    "every resource template at %s shows another household's things as nothing",
    async (path, values, minCount) => {
      const templates = await listNames(
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
        path,
      );

      expect(templates.length).toBeGreaterThanOrEqual(minCount);
      for (const template of templates) {
        const variables = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
        const unknown = variables.filter((name) => !Object.hasOwn(values, name));
        expect(
          unknown,
          `${template}: add the variable to the template values in mcp-probes.ts`,
        ).toEqual([]);
        await expectNoDifference(path, "resources/read", (names) =>
          values[variables[0]!]!(names).map((first) => ({
            uri: variables
              .slice(1)
              .reduce(
                (uri, name) => uri.replace(`{${name}}`, values[name]!(names)[0]!),
                template.replace(`{${variables[0]!}}`, first),
              ),
          })),
        );
      }
    },
    60_000,
  );

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
    const { group, ops } = victim.names;
    const given = { group_id: group, my_id: ops };
    const read = await callTool(agent, "read", given, { path: "/mcp/groups" });
    expect(read.text).toContain(victim.canary);
    const { source, sourceMessage } = victim.names;
    const message = { source, id: sourceMessage };
    const mail = await callTool(victim.home.owner, "read", message, { path: "/mcp/messages" });
    expect(mail.text).toContain(victim.canary);
  });
});
