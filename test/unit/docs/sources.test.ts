/** Checks that the tables of docs/configuration.md name exactly the settings of each kind of message source. */
import { describe, expect, it } from "vitest";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

/** The used part of modules with the Worker's types, which Node does not have, so they are imported at run time. */
interface Registry {
  SOURCE_KIND_REGISTRY: Record<
    string,
    { channel?: string; settings: { shape: Record<string, unknown> } }
  >;
}
const registryModule: string = "../../../src/source-kinds/registry.ts";
const { SOURCE_KIND_REGISTRY } = (await import(registryModule)) as Registry;

const SECTION = getSection(readPage("docs/configuration.md"), "Message sources");
const PAGE = readPage("docs/sources.md");

describe.each(Object.entries(SOURCE_KIND_REGISTRY))(
  "the kind %s",
  (kind, { settings, channel }) => {
    // Sources of a channel use the settings of the channel.
    const keys = channel === undefined ? Object.keys(settings.shape) : [];

    it(`the settings of sources of the kind ${kind} are those of the table`, () => {
      const [, text] = SECTION.split(`Fields of \`kind: ${kind}\`:`);
      const [table = []] = text === undefined ? [] : parseTables(text);

      const fields = table.map((row) => listCodes(row[0]!)[0]);

      expect(SECTION).toContain(`\`kind: ${kind}\``);
      expect(new Set(fields)).toEqual(new Set(keys));
    });

    it(`the page about sources describes the kind ${kind}`, () => {
      const [kinds] = parseTables(PAGE);

      expect(kinds!.flatMap((row) => listCodes(row[0]!))).toContain(kind);
    });
  },
);
