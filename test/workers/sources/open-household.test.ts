/** Requests about the owner's mail in a household whose members read all threads. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { unwrap } from "../outcomes.ts";
import { type Caller, expectOkJson, readRefusal, waitUntil } from "../support.ts";
import { createOutboxScene, stubProvider } from "./outbox-scene.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const listRefs = async (caller: Caller, query = ""): Promise<string[]> =>
  (await caller.read(`/mess?${query}`)).threads.map((thread: { ref: string }) => thread.ref);

const queryRefs = async (caller: Caller): Promise<string[]> => {
  const answered = await caller.postBlocks({ query: { type: "status" } });
  return JSON.stringify(await expectOkJson(answered)).match(/\d{4}-\d\d-\d\d-\d+/g) ?? [];
};

const readEventRefs = async (caller: Caller): Promise<string[]> =>
  (await caller.read("/api/v1/events")).events.map(({ ref }: { ref: string }) => ref);

/** The refs of the changes that the socket of the member's key gets. */
async function listenTo(household: string, owner: Caller, { actor }: Caller): Promise<string[]> {
  const { keys } = await owner.read<{ keys: { id: string; actor: string }[] }>("/api/v1/keys");
  const credential = `key:${keys.find((one) => one.actor === actor)!.id}`;
  const query = new URLSearchParams({ actor, role: "member", credential });
  const { webSocket } = await env.HOUSEHOLDS.getByName(household).fetch(
    `https://household/?${query.toString()}`,
    { headers: { Upgrade: "websocket" } },
  );
  const refs: string[] = [];
  webSocket!.addEventListener("message", ({ data }) => {
    refs.push((JSON.parse(data as string) as { ref: string }).ref);
  });
  webSocket!.accept();
  return refs;
}

it("members of an open household see other threads, but nothing of a request about the owner's mail", async () => {
  stubProvider();
  const scene = await createOutboxScene();
  await expectOkJson(await scene.owner.post("/api/v1/config", { access: { threads: "open" } }));
  const noa = await scene.home.addMember("noa", "member");
  const heard = await listenTo(scene.id, scene.owner, noa);
  const draft = await scene.write(await scene.receive());
  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, draft.id));
  await scene.waitForRequest("May this be sent");
  const secret = await waitUntil(async () =>
    runInDurableObject(scene.object, (_instance, { storage }) => {
      const [row] = storage.sql.exec<{ ref: string | null }>("SELECT ref FROM owner_requests");
      expect(row?.ref).toEqual(expect.any(String));
      return row!.ref!;
    }),
  );
  const open = await scene.home.agent.createThread("May this be moved");

  await waitUntil(async () => {
    expect(await listRefs(scene.owner)).toEqual(expect.arrayContaining([secret, open]));
    expect(await listRefs(scene.owner, "q=may")).toEqual(expect.arrayContaining([secret, open]));
    expect(await readEventRefs(scene.owner)).toEqual(expect.arrayContaining([secret, open]));
    expect(heard).toContain(open);
  });
  expect(heard).not.toContain(secret);
  for (const list of [listRefs(noa), listRefs(noa, "q=may"), queryRefs(noa), readEventRefs(noa)]) {
    const refs = await list;
    expect(refs).toContain(open);
    expect(refs).not.toContain(secret);
  }
  const paths = ["", "/wait?timeout=0", "/route", "/context"].map(
    (path) => `/mess/${secret}${path}`,
  );
  for (const path of paths) expect(await readRefusal(await noa.fetch(path))).toBe("404 not_found");
  const concerned = await noa.postBlocks({
    query: { type: "executors", filter: { re: [secret] } },
  });
  expect(JSON.stringify(await expectOkJson(concerned))).not.toContain(`"${scene.owner.actor}"`);
  const depending = await noa.postBlocks({
    request: { intent: "wait for it", constraints: { depends_on: [secret] } },
  });
  expect(await readRefusal(depending)).toBe("422 unknown_dependency");
  await expectOkJson(await scene.owner.fetch(`/mess/${secret}`, { method: "DELETE" }));
  expect(await readRefusal(await noa.fetch(`/mess/${secret}`))).toBe("404 not_found");
});
