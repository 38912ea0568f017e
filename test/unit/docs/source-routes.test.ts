/** Compares the routes of message sources in docs/http.md with the code. */
import { expect, it } from "vitest";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

/** The tables of routes need the Worker's types, which Node does not have, so they are imported at run time. */
interface Route {
  method: string;
  path: string;
  query: { shape: Record<string, unknown> };
  body?: { schema?: { shape: Record<string, unknown> } };
}
const FILE: string = "../../../src/ingress/http/resources/sources/messages.ts";
const { sourceMessageRoutes: ROUTES } = (await import(FILE)) as {
  sourceMessageRoutes: readonly Route[];
};

it("docs/http.md lists every route of message sources with its fields", () => {
  const [table = []] = parseTables(
    getSection(readPage("docs/http.md"), "Message sources: `/sources`"),
  );
  const effects = new Map(
    table.map(([call = "", effect = ""]) => [listCodes(call)[0] ?? "", effect]),
  );

  expect([...effects.keys()].toSorted()).toEqual(
    ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
  for (const { method, path, query, body } of ROUTES) {
    const fields = Object.keys({ ...query.shape, ...body?.schema?.shape });
    const named = listCodes(effects.get(`${method.toUpperCase()} ${path}`) ?? "");
    expect(
      fields.filter((field) => !named.includes(field)),
      `${method} ${path}`,
    ).toEqual([]);
  }
});
