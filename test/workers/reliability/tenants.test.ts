import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { HttpRoute } from "../../../src/ingress/http/route.ts";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import {
  Caller,
  expectOkJson,
  createFreshHousehold,
  sendRequest,
  type TestHousehold,
} from "../support.ts";
import { readHouseholdContents } from "./store-contents.ts";

/** Words that occur only in the victim's threads, files and settings. */
const CANARY = "marzipan-canary";

interface Victim extends TestHousehold {
  ref: string;
  keyId: string;
  revoked: Caller;
}

let victim: Victim;
let stranger: TestHousehold;
/** A link of the victim to another of its threads. */
let link: string;

beforeAll(async () => {
  const home = await createFreshHousehold();
  const cook = await home.addMember("cook", "executor");
  const skill = { config: { executor: { id: "cook", capabilities: [`bake-${CANARY}`] } } };
  await expectOkJson(await home.owner.postBlocks(skill));
  // Serials beyond those of the other households on the same day.
  for (let made = 0; made < 3; made++) await home.agent.createThread("look at the mint");
  const file = `data:application/octet-stream;base64,${btoa(CANARY.repeat(300))}`;
  const ref = await home.agent.createThread(`bake a ${CANARY}`, {
    id: `${CANARY}-id`,
    requires: [`bake-${CANARY}`],
    context: [{ file }, { text: `the ${CANARY} recipe` }],
  });
  await cook.claim(ref);
  // The link's member is a candidate of both threads, so only the link's scope denies the other.
  const other = await home.agent.createThread("bake bread", { requires: [`bake-${CANARY}`] });
  const made = await expectOkJson(
    await home.owner.post(`/mess/${other}/links`, { executor: "cook" }),
  );
  link = new URL(made.url as string).searchParams.get("token") ?? "";
  const cooks = { actor: "cook", role: "executor" };
  const { key, id: revokedId } = await expectOkJson(await home.owner.post("/api/v1/keys", cooks));
  const { keys } = await home.owner.read("/api/v1/keys");
  const { id: keyId } = keys.find(({ actor }: { actor: string }) => actor === "cook");
  const revoked = new Caller("cook", key as string);
  await expectOkJson(await home.owner.fetch(`/api/v1/keys/${revokedId}`, { method: "DELETE" }));
  victim = { ...home, ref, keyId, revoked };
  stranger = await createFreshHousehold();
  await stranger.agent.createThread("water the mint");
});

/** Everything that a caller can see of a response, except for data about the call itself. */
async function describeResponse(response: Response): Promise<string> {
  const headers = Array.from(response.headers, ([name, value]) => `${name}: ${value}`)
    .filter((line) => !/^(x-request-id|date): /.test(line))
    .toSorted();
  return [response.status, ...headers, await response.text()].join("\n");
}

const THREAD_ROUTES = ROUTES.filter(({ path }) => path.includes("{ref}"));

/** Names of the victim's thread, each with a name of the same kind that does not exist. */
function listTargets(): [real: string, nothing: string][] {
  const { ref, id } = victim;
  const [, day = "", serial = "", slug = ""] = /^(\d{4}-\d\d-\d\d)-(\d{3})-(.*)$/.exec(ref) ?? [];
  const absent = `${day}-877-${slug}`;
  return [
    [ref, absent],
    [`${day}-${serial}`, `${day}-877`],
    [slug, `${slug}-x`],
    [`${id}/${ref}`, `${id}/${absent}`],
    [`${id}%2F${ref}`, `${id}%2F${absent}`],
    [`..%2F${id}%2F${ref}`, `..%2F${id}%2F${absent}`],
    [`${id}:${ref}`, `${id}:${absent}`],
    [`${ref}%2Fstatus-001`, `${absent}%2Fstatus-001`],
    [
      encodeURIComponent(`content://${ref}/att-000-file-file.bin`),
      encodeURIComponent(`content://${absent}/att-000-file-file.bin`),
    ],
    [`${ref}%00`, `${absent}%00`],
    [ref.toUpperCase(), absent.toUpperCase()],
    [`%20${ref}`, `%20${absent}`],
  ];
}

/** Callers of the thread's own household; `isolation/routes.test.ts` has those of another one. */
function listProbers(): [who: string, headers: Record<string, string>][] {
  const createKey = (caller: Caller) => ({ Authorization: `Bearer ${caller.key}` });
  return [
    ["the holder of a revoked key", createKey(victim.revoked)],
    ["an executor without an offer", createKey(victim.ben)],
    ["the bearer of a link to another thread", { Authorization: `Bearer ${link}` }],
  ];
}

const BODIES: Readonly<Record<string, readonly [type: string, body: string][]>> = {
  post: [
    ["application/json", '{"MESS": [{"status": {"code": "claimed"}}]}'],
    ["application/json", '{"executor": "cook"}'],
    ["application/yaml", "MESS:\n- followup: {message: let me in}\n"],
    ["application/octet-stream", "bytes"],
  ],
};

const fill = (path: string, ref: string): string =>
  path
    .replace("{ref}", ref)
    .replace("{message}", "status-001")
    .replace("{name}", "att-000-file-file.bin")
    .replace(/\{\w+\}/, "00000000-0000-4000-8000-000000000000");

async function probe({ method, path }: HttpRoute, ref: string, headers: Record<string, string>) {
  const answers: string[] = [];
  for (const [type, body] of BODIES[method] ?? [["", ""]]) {
    const init: RequestInit = { method: method.toUpperCase(), headers };
    if (body !== "") Object.assign(init, { body, headers: { ...headers, "Content-Type": type } });
    answers.push(await describeResponse(await sendRequest(fill(path, ref), init)));
  }
  return answers;
}

describe("a thread that the caller may not see", () => {
  it("a thread that the caller may not see gets the same response as a missing one, on every route and by every name", async () => {
    const before = await readHouseholdContents(victim.id);
    let probes = 0;
    for (const route of THREAD_ROUTES)
      for (const [who, headers] of listProbers())
        for (const [real, nothing] of listTargets()) {
          const answers = await probe(route, real, headers);
          const label = `${route.method} ${route.path} ${real} for ${who}`;
          expect(answers, label).toEqual(await probe(route, nothing, headers));
          for (const answer of answers) {
            expect(answer, label).toMatch(answer === answers[0] ? /^(401|403|404)\n/ : /^4\d\d\n/);
            expect(answer, label).not.toContain(CANARY);
            probes++;
          }
        }
    console.log(`${probes} probes of threads`);
    expect(probes).toBeGreaterThan(THREAD_ROUTES.length * 3 * 12);
    expect(await readHouseholdContents(victim.id)).toEqual(before);
  }, 120_000);
});

describe("another household", () => {
  it("a caller from another household gets no data of a household and changes nothing in it", async () => {
    const before = await readHouseholdContents(victim.id);
    const { ref, id, keyId } = victim;
    const attempts: [path: string, body?: object | string][] = [
      ["/mess?limit=200"],
      [`/mess?q=${CANARY}`],
      [`/mess?requestor=scout&executor=cook`],
      [`/mess?q=${encodeURIComponent(`" OR household:${id}`)}`],
      ["/api/v1/events"],
      ["/api/v1/keys"],
      ["/api/v1/executors"],
      ["/api/v1/config"],
      ["/api/v1/statistics"],
      ["/api/v1/household"],
      ["/mess/route", { request: { intent: "bake", requires: [`bake-${CANARY}`] } }],
      ["/mess", { MESS: [{ followup: { re: ref, message: "hello" } }] }],
      ["/mess", { MESS: [{ followup: { re: `${id}/${ref}`, message: "hello" } }] }],
      ["/mess", { MESS: [{ followup: { re: [ref, ref], message: "hello" } }] }],
      ["/mess", { MESS: [{ status: { re: ref, code: "completed" } }] }],
      ["/mess", { MESS: [{ query: { type: "status", filter: { re: ref } } }] }],
      ["/mess", { MESS: [{ query: { type: "capabilities" } }] }],
      ["/mess", { MESS: [{ request: { intent: "after", constraints: { depends_on: [ref] } } }] }],
      ["/mess", { household: id, from: "cook", MESS: [{ status: { re: ref, code: "declined" } }] }],
    ];
    let probes = 0;
    for (const caller of [stranger.owner, stranger.agent, stranger.ann])
      for (const [path, body] of attempts) {
        const response =
          body === undefined ? await caller.fetch(path) : await caller.post(path, body);
        const answer = await describeResponse(response);
        // The response may repeat the caller's own input.
        const own = `${path}${JSON.stringify(body ?? "")}`.includes(CANARY);
        if (!own) expect(answer, path).not.toContain(CANARY);
        expect(answer, path).not.toContain(id === stranger.id ? "" : keyId);
        expect(answer.split("\n")[0], `${path} ${JSON.stringify(body)}`).toMatch(/^[24]/);
        probes++;
      }
    const revoke = (key: string) =>
      stranger.owner.fetch(`/api/v1/keys/${key}`, { method: "DELETE" });
    expect(await describeResponse(await revoke(keyId))).toBe(
      await describeResponse(await revoke(crypto.randomUUID())),
    );
    expect(probes).toBe(3 * attempts.length);
    expect(await readHouseholdContents(victim.id)).toEqual(before);
  });

  it("a household keeps its refs when another imports threads with the same refs", async () => {
    const zip = await victim.owner.fetch("/mess/export.zip");
    const before = await readHouseholdContents(victim.id);
    const importing = await createFreshHousehold();
    const headers = { "Content-Type": "application/zip" };
    await expectOkJson(
      await importing.owner.fetch("/mess/import", {
        method: "POST",
        body: await zip.arrayBuffer(),
        headers,
      }),
    );
    await importing.owner.appendBlocks(victim.ref, { followup: { message: "ours now" } });

    expect(await readHouseholdContents(victim.id)).toEqual(before);
    const { results } = await env.INDEX.prepare("SELECT household FROM threads WHERE ref = ?")
      .bind(victim.ref)
      .all();
    expect(results).toContainEqual({ household: victim.id });
  });
});
