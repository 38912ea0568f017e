import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readThreadText } from "../../../../src/exchange/read-thread-text.ts";
import { buildThreadData } from "../../../../src/ingress/http/thread-body.ts";
import { writeThreadYaml } from "../../../../src/mess/messe-af/write.ts";
import { getThreadStub } from "../../../../src/stubs.ts";
import { buildPrincipal } from "../../thread/support.ts";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
} from "../../support.ts";

const YAML = { headers: { Accept: "application/yaml" } };

/** Longer than one part, so that it is read in several parts. */
const LONG_MESSAGE_COUNT = 16;

async function createThreadWithNotes(agent: Caller, count: number): Promise<string> {
  const ref = await agent.createThread("look at the basil", { requires: ["look"] });
  for (let note = 1; note <= count; note++)
    await agent.appendBlocks(ref, { followup: { message: `note ${note}` } });
  return ref;
}

async function createLongThread(agent: Caller): Promise<string> {
  const ref = await agent.createThread("look at the basil", { requires: ["look"] });
  for (let note = 1; note <= LONG_MESSAGE_COUNT; note++)
    await agent.appendBlocks(ref, {
      followup: { message: `${note} é`.repeat(50_000) },
    });
  return ref;
}

/** The thread as its object stores it, which both formats must show. */
async function readExpected(household: string, ref: string) {
  const owner = { ...buildPrincipal(household, "mum") };
  const view = await getThreadStub(env, household, ref).readThread(owner);
  if (!view.ok) throw new Error(view.error.code);
  return {
    json: `${JSON.stringify(buildThreadData(view.value))}\n`,
    yaml: writeThreadYaml(view.value),
  };
}

const readNextAddress = (response: Response): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(response.headers.get("Link") ?? "")?.[1];

/** Follows the addresses of the next pages to the last one. */
async function readPages(caller: Caller, path: string): Promise<Answered[]> {
  const pages: Answered[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const response: Response = await caller.fetch(next);
    pages.push(await expectOkJson(response));
    next = readNextAddress(response);
  }
  return pages;
}

/** A thread file whose first message has an unknown key. */
const writeImport = (ref: string, notes: number): string =>
  [
    `ref: ${ref}\nrequestor: scout\nstatus: pending\ncreated: 2025-12-24T09:00:00Z\nintent: bring the tree in\n`,
    `from: scout\nreceived: 2025-12-24T09:00:00Z\nmood: sunny\nMESS:\n  - request: { intent: bring the tree in }\n`,
    ...Array.from(
      { length: notes },
      (_, note) =>
        `from: scout\nreceived: 2025-12-24T09:01:00Z\nMESS:\n  - followup: { message: note ${note} }\n`,
    ),
  ].join("---\n");

const importFile = (owner: Caller, text: string): Promise<Answered> =>
  owner
    .fetch("/mess/import", {
      method: "POST",
      body: text,
      headers: { "Content-Type": "application/yaml" },
    })
    .then(expectOkJson);

describe("reading a thread as text", () => {
  it("a thread is read in JSON and YAML with the same documents as stored", async () => {
    const { id, agent, ann } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 3);
    await ann.claim(ref);

    const json = await (await agent.fetch(`/mess/${ref}`)).text();
    const yaml = await (await agent.fetch(`/mess/${ref}`, YAML)).text();

    expect({ json, yaml }).toEqual(await readExpected(id, ref));
  });

  it("a second read shows the history since the first one", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 1);
    const first = await expectOkJson(await agent.fetch(`/mess/${ref}`));
    await ann.claim(ref);

    const second = await expectOkJson(await agent.fetch(`/mess/${ref}`));

    const added = second.envelope.history.slice(first.envelope.history.length);
    expect(added).toMatchObject([{ action: "claimed", by: "ann" }]);
  });

  it("a thread longer than one part is read completely, in JSON and YAML", async () => {
    const { id, agent } = await createFreshHousehold();
    const ref = await createLongThread(agent);

    const json = await (await agent.fetch(`/mess/${ref}`)).text();
    const yaml = await (await agent.fetch(`/mess/${ref}`, YAML)).text();

    const expected = await readExpected(id, ref);
    expect(json.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(json === expected.json).toBe(true);
    expect(yaml === expected.yaml).toBe(true);
  });

  it("reading a long thread through a link stops when the link is revoked", async () => {
    const { id, agent } = await createFreshHousehold();
    const ref = await createLongThread(agent);
    const { jti } = await expectOkJson(await agent.post(`/mess/${ref}/links`, { executor: "ann" }));
    const bearer = { ...buildPrincipal(id, "ann"), scope: { ref, permissions: [], jti } };
    const thread = await readThreadText(env, bearer, ref, "json", {});
    await agent.fetch(`/mess/${ref}/links/${jti}`, { method: "DELETE" });

    const following = thread.ok ? thread.value.following : undefined;

    await expect(following?.[Symbol.asyncIterator]().next()).rejects.toThrow("link_dead");
  });

  it("documents without stored YAML are converted when they are read", async () => {
    const { id, agent } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 3);
    await runInDurableObject(env.THREADS.getByName(`${id}/${ref}`), (_, { storage: { sql } }) => {
      sql.exec("UPDATE documents SET yaml = NULL WHERE serial > 1");
    });

    const yaml = await (await agent.fetch(`/mess/${ref}`, YAML)).text();

    expect(yaml).toBe((await readExpected(id, ref)).yaml);
  });

  it("unknown keys of an imported message are returned with the known ones", async () => {
    const { id, owner } = await createFreshHousehold();
    const ref = "2025-12-24-001-tree";
    await importFile(owner, writeImport(ref, 2));

    const json = await (await owner.fetch(`/mess/${ref}`)).text();

    expect(JSON.parse(json).messages[0]).toMatchObject({ from: "scout", mood: "sunny" });
    expect(json).toBe((await readExpected(id, ref)).json);
  });
});

describe("GET /mess/{ref}?limit=", () => {
  it("the pages of a thread together contain all of its messages", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 10);
    const whole = await agent.read(`/mess/${ref}`);

    const pages = await readPages(agent, `/mess/${ref}?limit=4`);

    expect(pages.flatMap(({ messages }) => messages)).toEqual(whole.messages);
    expect(pages.map(({ more }) => more)).toEqual([true, true, undefined]);
    expect(pages.at(-1).cursor).toBe(whole.cursor);
  });

  it("a page in YAML has its cursor and the address of the next page in headers", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 5);

    const first = await agent.fetch(`/mess/${ref}?limit=2`, YAML);
    const next = await agent.fetch(readNextAddress(first)!, YAML);

    const [, ...documents] = (await first.text()).split("---\n");
    expect(documents).toHaveLength(4);
    expect(first.headers.get("Mess-Cursor")).toBe("2");
    expect(await next.text()).toContain("message: note 2\n");
  });

  it("a page after a cursor begins with the message after it", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 40);

    for (let cursor = 1; cursor <= 40; cursor++) {
      const { messages } = await agent.read(`/mess/${ref}?cursor=${cursor}&limit=1`);
      expect(messages[0].MESS[0].followup.message).toBe(`note ${cursor}`);
    }
  });

  it("messages of one change are on the same page", async () => {
    const { id, agent } = await createFreshHousehold();
    const ref = await createThreadWithNotes(agent, 5);
    await runInDurableObject(env.THREADS.getByName(`${id}/${ref}`), (_, { storage: { sql } }) => {
      sql.exec("UPDATE documents SET seq = 5 WHERE serial BETWEEN 2 AND 4");
    });

    const [first, ...others] = await readPages(agent, `/mess/${ref}?limit=3`);

    expect(first).toMatchObject({ cursor: 5, more: true });
    expect(first.messages).toHaveLength(10);
    expect(others).toHaveLength(1);
  });

  it("an imported thread is also read in pages", async () => {
    const { owner } = await createFreshHousehold();
    const ref = "2025-12-24-001-tree";
    await importFile(owner, writeImport(ref, 8));

    const pages = await readPages(owner, `/mess/${ref}?limit=3`);

    expect(pages.map(({ messages }) => messages.length)).toEqual([3, 3, 3]);
  });

  it.each(["limit=0", "limit=1001", "limit=x"])("a thread with %s is refused", async (query) => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil");

    expect(await readRefusal(await agent.fetch(`/mess/${ref}?${query}`))).toBe("400 bad_parameter");
  });
});
