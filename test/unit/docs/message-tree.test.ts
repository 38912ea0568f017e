/** Compares the message tree in docs/http.md with its paths and routes. */
import { expect, it } from "vitest";
import { TREE_PATHS } from "../../../src/mess/sources/tree/paths.ts";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

/** The tables of routes need the Worker's types, which Node does not have, so they are imported at run time. */
interface Route {
  method: string;
  path: string;
  query: { shape: Record<string, unknown> };
}
const FILE: string = "../../../src/ingress/http/resources/message-tree/routes.ts";
const { messageTreeRoutes: ROUTES } = (await import(FILE)) as {
  messageTreeRoutes: readonly Route[];
};
const SECTION = getSection(readPage("docs/http.md"), "The message tree: `/msg/`");

it("docs/http.md lists every path of the message tree, how it is written, and its parameters", () => {
  const [table = []] = parseTables(SECTION);
  const rows = table.map(([path = "", , write = ""]) => [listCodes(path)[0], write !== ""]);

  const methods = (path: string) =>
    ROUTES.filter((route) => route.path === path).map(({ method }) => method);
  expect(rows).toEqual(
    Object.values(TREE_PATHS).map((path) => [path, methods(path).includes("post")]),
  );
  for (const path of Object.values(TREE_PATHS))
    expect([["get"], ["get", "post", "put"]], path).toContainEqual(methods(path));
  const named = listCodes(SECTION);
  const fields = ROUTES.flatMap(({ query }) => Object.keys(query.shape));
  expect(fields.filter((field) => !named.includes(field))).toEqual([]);
});
