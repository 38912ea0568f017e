/** Compares the tables of docs/mcp.md with the tools and addresses of the MCP server. */
import { expect, it } from "vitest";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

/**
 * The used part of the toolsets. The module has the Worker's types, which Node does not have, so it is imported at run
 * time.
 */
type Toolsets = Record<string, { tools: readonly { name: string }[] }>;
const toolsetsModule: string = "../../../src/ingress/mcp/toolsets-by-path.ts";
const { TOOLSETS } = (await import(toolsetsModule)) as { TOOLSETS: Toolsets };

const PAGE = readPage("docs/mcp.md");

const listFirstCells = (heading: string): string[] => {
  const [rows = []] = parseTables(getSection(PAGE, heading));
  return rows.flatMap(([cell = ""]) => listCodes(cell));
};

it("docs/mcp.md lists the addresses of the MCP server", () => {
  expect(listFirstCells("Addresses")).toEqual(Object.keys(TOOLSETS));
});

it.each([
  ["Tools", "/mcp"],
  ["Tools for groups", "/mcp/groups"],
  ["Tools for messages", "/mcp/messages"],
])("the table below %s in docs/mcp.md lists the tools at %s", (heading, path) => {
  const names = TOOLSETS[path]?.tools.map(({ name }) => name);

  expect(listFirstCells(heading).toSorted()).toEqual(names?.toSorted());
});
