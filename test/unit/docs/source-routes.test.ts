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
const FOLDER: string = "../../../src/ingress/http/resources/sources";
const { sourceMessageRoutes } = (await import(`${FOLDER}/messages.ts`)) as {
  sourceMessageRoutes: readonly Route[];
};
const { sourceDraftRoutes } = (await import(`${FOLDER}/drafts.ts`)) as {
  sourceDraftRoutes: readonly Route[];
};
const { watcherRoutes } = (await import(`${FOLDER}/watcher.ts`)) as {
  watcherRoutes: readonly Route[];
};

it.each([
  ["Message sources: `/sources`", [...sourceMessageRoutes, ...sourceDraftRoutes]],
  ["The tier of a message", watcherRoutes],
] as const)(
  "docs/http.md lists every route of the section %s with its fields",
  (section, routes) => {
    const [table = []] = parseTables(getSection(readPage("docs/http.md"), section));
    const effects = new Map(
      table.map(([call = "", effect = ""]) => [listCodes(call)[0] ?? "", effect]),
    );

    expect([...effects.keys()].toSorted()).toEqual(
      routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
    );
    for (const { method, path, query, body } of routes) {
      const fields = Object.keys({ ...query.shape, ...body?.schema?.shape });
      const named = listCodes(effects.get(`${method.toUpperCase()} ${path}`) ?? "");
      expect(
        fields.filter((field) => !named.includes(field)),
        `${method} ${path}`,
      ).toEqual([]);
    }
  },
);
