/** Feed sources: new entries once, conditional requests, redirects, refusals and removed feeds. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SourceStatus } from "../../../src/contracts/sources.ts";
import { SourceStore } from "../../../src/sources/tables/source-store.ts";
import { runInDurableObject } from "cloudflare:test";
import { getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { createFreshHousehold } from "../support.ts";
import { FEED_ORIGIN, LocalFeed } from "./local-feed.ts";
import { LocalSource } from "./local-source.ts";
import { pollNow } from "./poll-now.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** @param prepare sets up the feed before the first poll */
async function createFeed(prepare: (feed: LocalFeed) => void = () => undefined) {
  const feed = new LocalFeed();
  prepare(feed);
  const home = await createFreshHousehold();
  const provider = {
    settings: { url: feed.url },
    invalid: { settings: {}, path: "url" },
    secrets: [feed.path],
    deliver: () => Promise.resolve(true),
    hasFiles: false,
  };
  const source = await new LocalSource(home, "feed", "town", provider).connect();
  await vi.waitFor(() => expect(feed.requests.length).toBeGreaterThan(0), { timeout: 5_000 });
  await pollNow(source);
  return { feed, source };
}

const listSubjects = async (source: LocalSource): Promise<(string | undefined)[]> =>
  (await source.list()).map(({ subject }) => subject);
const readStatus = async ({ home, name }: LocalSource): Promise<SourceStatus> =>
  unwrap(await getSourceStub(env, home.id, name).messages.status());
const isPolled = ({ home, name }: LocalSource): Promise<boolean> =>
  runInDurableObject(env.SOURCES.getByName(`${home.id}/${name}`), (_object, { storage }) =>
    new SourceStore(storage.sql).jobs.isPending("poll"),
  );
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_none, index) => ({ id: `entry-${to - index}` }));

describe("entries of a feed", () => {
  it("the first poll takes the newest ten, and later polls only what is new", async () => {
    const { feed, source } = await createFeed((one) => {
      one.items = numbers(1, 25);
    });
    expect(await listSubjects(source)).toEqual(numbers(16, 25).map(({ id }) => id));

    feed.items = numbers(1, 27);
    await pollNow(source);

    expect((await listSubjects(source)).slice(0, 3)).toEqual(["entry-27", "entry-26", "entry-25"]);
    expect(await source.list()).toHaveLength(12);
  });

  it("the newest entries are found by their times where all have one", async () => {
    const { source } = await createFeed((feed) => {
      feed.items = numbers(1, 12).map(({ id }, index) => ({
        id,
        date: new Date(Date.UTC(2026, 0, 1 + index)).toUTCString(),
      }));
    });

    expect((await listSubjects(source))[0]).toBe("entry-1");
    expect(await listSubjects(source)).not.toContain("entry-12");
  });

  it("many new entries are read in several polls, each once", async () => {
    const { feed, source } = await createFeed();

    feed.items = numbers(1, 90);
    await pollNow(source);
    await vi.waitFor(async () => expect((await readStatus(source)).messages).toBe(90), 5_000);

    expect(new Set(await listSubjects(source)).size).toBe(90);
  });

  it("an entry that was deleted here is not read again while it is in the feed", async () => {
    const { feed, source } = await createFeed((one) => {
      one.items = [{ id: "entry-1" }];
    });
    const { id } = await source.readOnly();
    unwrap(await getSourceStub(env, source.home.id, source.name).messages.remove(id));

    feed.items = numbers(1, 2);
    await pollNow(source);

    expect(await listSubjects(source)).toEqual(["entry-2"]);
  });
});

describe("requests for a feed", () => {
  it("an unchanged feed is asked for by its version, and is not read again", async () => {
    const { feed, source } = await createFeed((one) => {
      one.items = numbers(1, 3);
    });
    const before = feed.requests.length;

    await pollNow(source);

    expect(feed.requests.slice(before).map(({ headers }) => headers.get("If-None-Match"))).toEqual([
      '"3"',
    ]);
    expect(await source.list()).toHaveLength(3);
  });

  it("redirects are followed to allowed addresses", async () => {
    const { feed, source } = await createFeed();
    feed.items = numbers(1, 1);
    feed.answer = ({ url }) =>
      url.endsWith("/moved")
        ? undefined
        : new Response(null, { status: 301, headers: { Location: "/moved" } });

    await pollNow(source);

    expect(await listSubjects(source)).toEqual(["entry-1"]);
  });

  it.each([
    "http://feeds.example.com/plain",
    "https://10.0.0.1/feed",
    "https://printer.local/feed",
    "https://user:word@feeds.example.com/",
  ])("a redirect to %s is not followed", async (location) => {
    const { feed, source } = await createFeed();
    feed.answer = () => new Response(null, { status: 302, headers: { Location: location } });

    await pollNow(source);

    const { problem } = await readStatus(source);
    expect(problem).toBe("the feed redirects to an address that is not allowed");
    expect(feed.requests.every(({ url }) => url === feed.url)).toBe(true);
  });

  it("a feed that redirects without end is a problem", async () => {
    const { feed, source } = await createFeed();
    feed.answer = () => new Response(null, { status: 302, headers: { Location: feed.path } });

    await pollNow(source);

    expect((await readStatus(source)).problem).toBe("the feed redirects too often");
  });

  it("a feed that is gone is not polled again until its settings change", async () => {
    const { feed, source } = await createFeed();
    feed.answer = () => new Response(null, { status: 410 });
    await pollNow(source);
    expect((await readStatus(source)).problem).toBe("the feed is gone (410)");
    expect(await isPolled(source)).toBe(false);

    delete feed.answer;
    feed.items = numbers(1, 1);
    source.provider.settings = { url: `${FEED_ORIGIN}/other` };
    await source.connect();

    await vi.waitFor(async () => expect(await listSubjects(source)).toEqual(["entry-1"]), 5_000);
    expect((await readStatus(source)).problem).toBeUndefined();
  });

  it.each<[string, () => Response]>([
    ["throttles", () => new Response("", { status: 429, headers: { "Retry-After": "7200" } })],
    ["fails", () => new Response("", { status: 500 })],
    ["has a page instead", () => new Response("<html></html>")],
    ["is larger than 4 MB", () => new Response(`<rss>${" ".repeat(4 * 1024 * 1024)}</rss>`)],
  ])("a server that %s is asked again later, and the owner sees why", async (_name, answer) => {
    const { feed, source } = await createFeed();
    feed.answer = answer;

    await pollNow(source);

    const { problem } = await readStatus(source);
    expect(problem).toMatch(/./);
    expect(problem).not.toContain(feed.path);
    expect(await isPolled(source)).toBe(true);
    delete feed.answer;
    feed.items = numbers(1, 1);
    await pollNow(source);
    expect(await listSubjects(source)).toEqual(["entry-1"]);
    expect((await readStatus(source)).problem).toBeUndefined();
  });

  it("the address of a feed, which may be secret, is not in the source's object", async () => {
    const { source, feed } = await createFeed((one) => {
      one.items = numbers(1, 1);
    });

    const { kind } = getSourceStub(env, source.home.id, source.name);

    expect(JSON.stringify(unwrap(await kind.readState()))).not.toContain(feed.path);
  });
});
