/** Compares docs/groups.md and the routes of AI groups in docs/http.md with the code. */
import { describe, expect, it } from "vitest";
import { GROUP_LIMITS } from "../../../src/mess/groups/vocabulary.ts";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

const LIMITS: readonly (readonly [name: string, value: number])[] = [
  ["characters of a message", GROUP_LIMITS.contentChars],
  ["characters of a topic", GROUP_LIMITS.topicChars],
  ["characters of a name", GROUP_LIMITS.nameChars],
  ["tools in `tool_usage`", GROUP_LIMITS.toolUsageItems],
  ["files in `files_modified`", GROUP_LIMITS.filesModifiedItems],
  ["members of a group", GROUP_LIMITS.membersPerGroup],
  ["memberships of one member of the household in a group", GROUP_LIMITS.membershipsPerMember],
  ["open groups of one member as primary ops", GROUP_LIMITS.openGroupsPerMember],
  ["open groups of a household", GROUP_LIMITS.openGroupsPerHousehold],
  ["entries of one member in the pools", GROUP_LIMITS.poolEntriesPerMember],
  ["entries in the pools", GROUP_LIMITS.poolEntries],
  ["messages of a group", GROUP_LIMITS.messagesPerGroup],
  ["messages of one read or wait", GROUP_LIMITS.pageMessages],
  ["characters of one read or wait", GROUP_LIMITS.pageChars],
];

/** The tables of routes need the Worker's types, which Node does not have, so they are imported at run time. */
interface Route {
  method: string;
  path: string;
  query: { shape: Record<string, unknown> };
  body?: { schema?: { shape: Record<string, unknown> } };
}
const FILES = ["groups", "messages", "events", "pools", "search"];
const modules = await Promise.all(
  FILES.map((name) => {
    const path: string = `../../../src/ingress/http/resources/groups/${name}.ts`;
    return import(path) as Promise<Record<string, readonly Route[]>>;
  }),
);
const ROUTES = modules.flatMap((module) => Object.values(module).flat());

describe("the documentation of AI groups", () => {
  it("docs/groups.md has the limits", () => {
    const [table = []] = parseTables(getSection(readPage("docs/groups.md"), "Limits"));

    expect(table).toEqual(LIMITS.map(([name, value]) => [name, value.toLocaleString("en")]));
  });

  it("docs/http.md lists every route with its fields", () => {
    const [table = []] = parseTables(getSection(readPage("docs/http.md"), "AI groups: `/groups`"));
    const effects = new Map(
      table.map(([call = "", effect = ""]) => [listCodes(call)[0] ?? "", effect]),
    );

    expect([...effects.keys()].toSorted()).toEqual(
      ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
    );
    for (const { method, path, query, body } of ROUTES) {
      const fields = Object.keys({ ...query.shape, ...body?.schema?.shape });
      const effect = effects.get(`${method.toUpperCase()} ${path}`) ?? "";
      const named = listCodes(effect).map((code) => code.replace(/=.*$/, ""));
      const missing = fields.filter((field) => field !== "as" && !named.includes(field));
      // The group to rejoin may be left out, and is the field of no other call.
      expect(
        missing.filter((field) => field !== "group_id"),
        `${method} ${path}`,
      ).toEqual([]);
    }
  });
});
