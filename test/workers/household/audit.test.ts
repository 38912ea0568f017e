import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuditEntry } from "../../../src/contracts/audit.ts";
import { AuditFacet } from "../../../src/household/audit/audit-facet.ts";
import { createStores } from "../../../src/household/stores.ts";
import { Authenticator } from "../oauth/authenticator.ts";
import { registerPasskey, signInByPasskey } from "../oauth/passkey-support.ts";
import { Browser, Client, createSignInLink } from "../oauth/support.ts";
import { createLink } from "../respond/support.ts";
import {
  Caller,
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  ORIGIN,
  readRefusal,
  waitUntil,
} from "../support.ts";
import { createOfferedThread, findKeyId } from "../auth/support.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const DAY_MS = 86_400_000;

const readAudit = async (owner: Caller, query = "?limit=500") =>
  await owner.read<{ entries: AuditEntry[]; next?: number }>(`/api/v1/audit${query}`);

/** Entries that were added since `from`, oldest first. */
async function readSince(owner: Caller, from: number): Promise<AuditEntry[]> {
  const { entries } = await readAudit(owner);
  return entries.filter(({ cursor }) => cursor > from).toReversed();
}

const readNewest = async (owner: Caller) => (await readAudit(owner, "?limit=1")).entries[0]!.cursor;

/** A household with the number of its newest entry, and the source of its owner's calls. */
async function createAudited() {
  const home = await createFreshHousehold();
  const start = await readNewest(home.owner);
  const source = {
    actor: "owner",
    credential: "key",
    credential_id: await findKeyId(home.owner, "owner"),
  };
  return { ...home, source, list: () => readSince(home.owner, start) };
}

describe("the audit trail of a household", () => {
  it("the trail begins with the operator who created the household and its first key", async () => {
    const id = `home-${crypto.randomUUID().slice(0, 8)}`;
    const operator = new Caller("operator", OPERATOR_KEY);
    const made = await expectOkJson(await operator.post("/api/v1/households", { id }));
    const owner = new Caller("owner", made.owner.key as string);

    const { entries } = await readAudit(owner);

    expect(entries.toReversed()).toMatchObject([
      { action: "household_created", actor: "operator", credential: "operator" },
      { action: "key_created", actor: "operator", detail: { actor: "owner", role: "owner" } },
    ]);
    expect(entries[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  });

  it("keys, secrets and settings are recorded with the owner and the key that changed them", async () => {
    const { owner, source, list } = await createAudited();

    const key = await expectOkJson(
      await owner.post("/api/v1/keys", { actor: "courier", role: "agent", label: "van" }),
    );
    await expectOkJson(await owner.fetch(`/api/v1/keys/${key.id}`, { method: "DELETE" }));
    for (const value of ["canary-one", "canary-two"])
      await expectOkJson(
        await owner.fetch("/api/v1/secrets/SLACK_TOKEN", {
          method: "PUT",
          body: JSON.stringify({ value }),
          headers: { "Content-Type": "application/json" },
        }),
      );
    await expectOkJson(await owner.fetch("/api/v1/secrets/SLACK_TOKEN", { method: "DELETE" }));
    await expectOkJson(
      await owner.postBlocks({
        config: {
          settings: { name: "Quay Street" },
          executors: { eve: { notify: { ntfy: "canary-three" } }, ben: null },
          dispatch: { ntfy: {}, ladder: { urgent: "1m" } },
          routing: { default: ["eve"] },
        },
      }),
    );
    await expectOkJson(await owner.post("/api/v1/config", { capabilities: [{ id: "swim" }] }));

    const entries = await list();
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ["key_created", key.id],
      ["key_revoked", key.id],
      ["secret_set", "SLACK_TOKEN"],
      ["secret_set", "SLACK_TOKEN"],
      ["secret_removed", "SLACK_TOKEN"],
      ["key_revoked", expect.any(String)],
      ["config_changed", undefined],
      ["config_changed", undefined],
    ]);
    for (const entry of entries) expect(entry).toMatchObject(source);
    expect(entries.map(({ detail }) => detail)).toEqual([
      { actor: "courier", role: "agent", label: "van" },
      { actor: "courier", role: "agent" },
      { replaced: false },
      { replaced: true },
      undefined,
      { actor: "ben", role: "executor" },
      {
        executors: ["eve"],
        removed: ["ben"],
        settings: ["name"],
        dispatch: ["ntfy", "ladder"],
        secrets: ["EVE_NTFY"],
        routing: true,
      },
      { capabilities: ["swim"] },
    ]);
    expect(JSON.stringify(entries)).not.toContain("canary");
    expect(JSON.stringify(entries)).not.toContain(key.key);
  });

  it("sign-ins, passkeys, apps and their end are recorded with the person", async () => {
    const home = await createFreshHousehold();
    const start = await readNewest(home.owner);
    const browser = new Browser();
    await browser.follow(await createSignInLink(home, "ann", "owner"));
    const authenticator = await Authenticator.make(ORIGIN);
    await expectOkJson(await registerPasskey(browser, authenticator));
    await expectOkJson(await signInByPasskey(new Browser(), authenticator));
    const client = await Client.register();
    await client.tokens(browser, { [home.id]: "agent" });
    await client.tokens(browser, { [home.id]: "agent" });
    const { grants } = await home.owner.read("/api/v1/grants");
    await expectOkJson(
      await home.owner.fetch(`/api/v1/grants/${grants[0].id}`, { method: "DELETE" }),
    );
    const page = await browser.open("/sign-in");
    await browser.submit("/sign-out", page.hidden());
    await expectOkJson(await home.owner.fetch("/api/v1/people/ann", { method: "DELETE" }));

    const entries = await readSince(home.owner, start);
    expect(entries.map(({ action, actor, credential }) => [action, actor, credential])).toEqual([
      ["sign_in_link_created", "owner", "key"],
      ["signed_in", "ann", "sign_in_link"],
      ["passkey_added", "ann", "session"],
      ["signed_in", "ann", "passkey"],
      ["grant_created", "ann", "session"],
      ["grant_revoked", "ann", "session"],
      ["grant_created", "ann", "session"],
      ["grant_revoked", "owner", "key"],
      ["signed_out", "ann", "session"],
      ["person_removed", "owner", "key"],
    ]);
    expect(entries.find(({ action }) => action === "grant_created")?.detail).toMatchObject({
      actor: "ann.claude.ai",
      role: "agent",
      host: "claude.ai",
    });
  });

  it("the expiry of a key is recorded once, by the exchange", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { id, owner, list } = await createAudited();
    const key = await expectOkJson(
      await owner.post("/api/v1/keys", { actor: "courier", role: "agent", expires_in: "1h" }),
    );
    vi.setSystemTime(Date.now() + 3_600_000);

    for (let run = 0; run < 2; run++) await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));

    expect((await list()).slice(1)).toMatchObject([
      { action: "key_expired", actor: "exchange", target: key.id, detail: { actor: "courier" } },
    ]);
  });

  it("links that members create and revoke are recorded once each, without their tokens", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    const start = await readNewest(owner);
    const first = await createLink(ann, ref, "ann");
    const make = () =>
      owner.post(`/mess/${ref}/links`, { executor: "ann" }, { "Idempotency-Key": "one" });
    const second = await expectOkJson(await make());
    await expectOkJson(await make());
    for (let call = 0; call < 2; call++)
      await expectOkJson(
        await owner.fetch(`/mess/${ref}/links/${first.jti}`, { method: "DELETE" }),
      );
    await expectOkJson(await owner.fetch(`/mess/${ref}/links`, { method: "DELETE" }));

    await waitUntil(async () => expect(await readSince(owner, start)).toHaveLength(4));
    const entries = await readSince(owner, start);
    expect(
      entries.map(({ action, actor, target, detail }) => [
        action,
        actor,
        target,
        detail?.["links"],
      ]),
    ).toEqual([
      ["link_created", "ann", ref, [first.jti]],
      ["link_created", "owner", ref, [second.jti]],
      ["link_revoked", "owner", ref, [first.jti]],
      ["link_revoked", "owner", ref, [second.jti]],
    ]);
    expect(entries[0]!.detail).toMatchObject({
      executor: "ann",
      permissions: ["respond", "claim", "decline"],
    });
    for (const { token, code } of [first])
      for (const text of [token, code]) expect(JSON.stringify(entries)).not.toContain(text);
  });

  it("a link is recorded even if the household was down when it was created", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    const start = await readNewest(owner);
    const failing = vi
      .spyOn(AuditFacet.prototype, "recordReport")
      .mockRejectedValue(new Error("down"));
    const link = await createLink(ann, ref, "ann");
    await waitUntil(async () => expect(failing).toHaveBeenCalled());
    failing.mockRestore();

    await runDurableObjectAlarm(env.THREADS.getByName(`${id}/${ref}`));

    await waitUntil(async () =>
      expect(await readSince(owner, start)).toMatchObject([
        { action: "link_created", detail: { links: [link.jti] } },
      ]),
    );
  });

  it("refused calls write no entry", async () => {
    const { owner, agent, ann, list } = await createAudited();
    const lasting = await findKeyId(owner, "owner");
    const ref = await agent.createThread("carry the sofa", { requires: ["carry"] });

    const refusals = [
      owner.post("/api/v1/keys", { actor: "exchange", role: "agent" }),
      owner.post("/api/v1/keys", { actor: "x", role: "agent", expires_in: "0s" }),
      owner.fetch(`/api/v1/keys/${lasting}`, { method: "DELETE" }),
      owner.fetch("/api/v1/keys/unknown", { method: "DELETE" }),
      owner.fetch("/api/v1/secrets/UNKNOWN", { method: "DELETE" }),
      owner.fetch("/api/v1/people/unknown", { method: "DELETE" }),
      owner.fetch("/api/v1/grants/unknown", { method: "DELETE" }),
      owner.post("/api/v1/config", {
        executors: { ben: null },
        schedules: { bins: { cron: "never" } },
      }),
      agent.post("/api/v1/config", { settings: { name: "mine" } }),
      agent.fetch("/mess/export.zip"),
      owner.post(`/mess/${ref}/links`, { executor: "ann" }),
      ann.post(`/mess/${ref}/links`, { executor: "ben" }),
    ];
    const statuses = await Promise.all(refusals.map(async (response) => (await response).status));

    expect(statuses.every((status) => status >= 400)).toBe(true);
    expect(await list()).toEqual([]);
  });

  it("requests, messages, reads and polls write no entry", async () => {
    const { agent, ben, list } = await createAudited();
    const ref = await agent.createThread("carry the sofa", { requires: ["carry"] });
    await ben.claim(ref);
    await ben.appendBlocks(
      ref,
      { response: { content: ["done"] } },
      { status: { code: "completed" } },
    );
    await agent.read(`/mess/${ref}`);
    await agent.read("/mess");
    await agent.read("/api/v1/events");

    expect(await list()).toEqual([]);
  });

  it("only owners of the household read its trail", async () => {
    const home = await createFreshHousehold();
    const other = await createFreshHousehold();

    const refusals = await Promise.all(
      [home.agent, home.ann].map(
        async (caller) => await readRefusal(await caller.fetch("/api/v1/audit")),
      ),
    );
    const { entries } = await readAudit(other.owner);

    expect(refusals).toEqual(["403 wrong_role", "403 wrong_role"]);
    const keys = (await home.owner.read<{ keys: { id: string }[] }>("/api/v1/keys")).keys;
    for (const { id } of keys) expect(JSON.stringify(entries)).not.toContain(id);
  });

  it("the trail is read in pages, newest first, each entry once", async () => {
    const { owner } = await createFreshHousehold();
    const all = (await readAudit(owner)).entries;
    const paged: AuditEntry[] = [];
    let query = "?limit=3";
    for (let pages = 0; pages < 50; pages++) {
      const { entries, next } = await readAudit(owner, query);
      paged.push(...entries);
      if (next === undefined) break;
      query = `?limit=3&cursor=${next}`;
    }

    expect(all.length).toBeGreaterThan(3);
    expect(paged).toEqual(all);
    expect(all.map(({ cursor }) => cursor)).toEqual(
      all.map(({ cursor }) => cursor).toSorted((a, b) => b - a),
    );
  });

  it("entries are kept for two years, and links never displace other entries", async () => {
    const { id, owner } = await createFreshHousehold();
    const source = { actor: "scout", credential: "key" } as const;
    const now = Date.now();
    await runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) => {
      const { audit } = createStores(storage.sql);
      storage.transactionSync(() => {
        audit.append({ action: "secret_set", source, target: "OLD" }, now - 731 * DAY_MS);
        audit.append({ action: "secret_set", source, target: "RECENT" }, now - 729 * DAY_MS);
        for (let n = 0; n < 10_005; n++)
          audit.append({ action: "link_created", source, target: `thread-${n}` }, now);
        audit.prune(now);
      });
    });

    const targets = await runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
      storage.sql
        .exec<{ target: string | null }>("SELECT target FROM audit")
        .toArray()
        .map(({ target }) => target),
    );
    const links = targets.filter((target) => target?.startsWith("thread-"));
    expect(links).toHaveLength(10_000);
    expect(links[0]).toBe("thread-5");
    expect(targets).toContain("RECENT");
    expect(targets).not.toContain("OLD");
    expect((await readAudit(owner, "?limit=1")).entries[0]!.target).toBe("thread-10004");
  });

  it("an export has the trail as a file, and records itself", async () => {
    const { owner, agent } = await createFreshHousehold();
    await agent.createThread("carry the sofa", { requires: ["carry"] });

    const zip = new Uint8Array(await (await owner.fetch("/mess/export.zip")).arrayBuffer());
    const text = new TextDecoder().decode(unzipSync(zip)["audit.yaml"]);
    const imported = await owner.fetch("/mess/import", {
      method: "POST",
      body: zip,
      headers: { "Content-Type": "application/zip" },
    });

    expect(text).toMatch(/^- at: /);
    expect(text).toContain("action: household_exported");
    expect(text).toContain("action: key_created");
    expect(imported.status).toBeLessThan(300);
  });

  it("later parts of an export have no copy of the trail", async () => {
    const { owner, agent } = await createFreshHousehold();
    for (const intent of ["one", "two"]) await agent.createThread(intent, { requires: ["carry"] });
    const first = await owner.fetch("/mess/export.zip?limit=1");
    const next = /<([^>]+)>/.exec(first.headers.get("Link") ?? "")![1]!;
    await first.arrayBuffer();

    const zip = new Uint8Array(await (await owner.fetch(next)).arrayBuffer());

    expect(Object.keys(unzipSync(zip))).not.toContain("audit.yaml");
  });
});
