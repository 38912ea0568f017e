/** The messages of a household's sources in its export: texts and what was decided about them, without their bytes. */
import type { ZipFile } from "../../attachments/archive-writer.ts";
import { DOCUMENT_SEPARATOR, writeYaml } from "../../mess/wire/serialize.ts";
import type { Json } from "../../mess/json.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import type { ArchivedObjects } from "./choose-objects.ts";
import { toTextStream } from "./text-stream.ts";

/** Messages of one call, which may be long. */
const PAGE_MESSAGES = 20;

/** The sources in the parts of an export. */
export const SOURCES: ArchivedObjects = {
  cursor: "sources",
  list: (env, household) => getHouseholdStub(env, household).sources.listNames(),
  estimateBytes: (env, household, name) =>
    getSourceStub(env, household, name).messages.estimateExportBytes(),
};

/** Reads the sources one page at a time while the archive is streamed. */
export async function* readSourceFiles(
  env: ExchangeBindings,
  household: string,
  names: readonly string[],
): AsyncGenerator<ZipFile> {
  for (const name of names)
    yield {
      name: `sources/${name}.yaml`,
      input: toTextStream(writeSource(env, household, name)),
    };
}

/** The status of the source is the first document, and each message another one, in the order of their arrival. */
async function* writeSource(
  env: ExchangeBindings,
  household: string,
  name: string,
): AsyncGenerator<string> {
  const { messages } = getSourceStub(env, household, name);
  const status = await messages.status();
  yield writeYaml((status.ok ? status.value : { source: name }) as unknown as Json);
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await messages.listAll(after, PAGE_MESSAGES);
    for (const message of page.messages)
      yield `${DOCUMENT_SEPARATOR}${writeYaml(message as unknown as Json)}`;
    after = page.next;
  }
}
