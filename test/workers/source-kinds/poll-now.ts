/** Polls a source before it is due. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SourceObject } from "../../../src/sources/source-object.ts";
import { SourceStore } from "../../../src/sources/tables/source-store.ts";
import type { LocalSource } from "./local-source.ts";

/** Does nothing where the source is not polled at present. Resolves when the poll has ended. */
export async function pollNow({ home, name }: LocalSource): Promise<void> {
  const stub = env.SOURCES.getByName(`${home.id}/${name}`);
  await runInDurableObject(stub, async (object: SourceObject, { storage }) => {
    const { jobs } = new SourceStore(storage.sql);
    if (jobs.isPending("poll")) jobs.put("poll", "poll", {}, Date.now());
    await object.alarm();
  });
}

/** When the source is polled next; undefined for never. */
export const readPollTime = ({ home, name }: LocalSource): Promise<number | undefined> =>
  runInDurableObject(env.SOURCES.getByName(`${home.id}/${name}`), (_object, { storage }) =>
    new SourceStore(storage.sql).jobs.getDue("poll"),
  );
