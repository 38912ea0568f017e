/** Calls by strangers that name a household: one that does not exist costs no object. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeFormToken } from "../../../src/auth/people/csrf-token.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { getHouseholdObject } from "../reliability/real-bindings.ts";
import {
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  buildAddressHeader,
  sendRequest,
  waitUntil,
} from "../support.ts";
import { runDurableObjectAlarm } from "cloudflare:test";
import { recordCalls } from "./object-calls.ts";
import type { Call } from "./probe.ts";
import { listRoutes } from "./surface.ts";

const SECRET = "0".repeat(64);
const SKIP_MS = 10_000;

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: {
    "Content-Type": "application/json",
    "Sec-Fetch-Site": "same-origin",
    ...buildAddressHeader(),
    ...headers,
  },
});

const signed = () => ({
  "webhook-id": crypto.randomUUID(),
  "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
  "webhook-signature": `v1,${btoa("a".repeat(32))}`,
});

async function makeForm(): Promise<{ token: string; cookie: string }> {
  const form = await makeFormToken(env.MESS_SECRET, new Request("https://mess.test/sign-in"));
  return { token: form.token, cookie: form.cookie?.split(";")[0] ?? "" };
}

const toUserHandle = (household: string): string => household.padEnd(64, "_").padEnd(86, "A");

/** Every kind of call in which somebody without a valid credential names a household. */
const STRANGERS: readonly [name: string, build: (household: string) => Call | Promise<Call>][] = [
  [
    "an API key",
    (id) => ({
      path: "/mess",
      init: { headers: { Authorization: `Bearer mess_${id}_${SECRET}` } },
    }),
  ],
  [
    "an API key at a file",
    (id) => ({
      path: "/mess/2026-01-01-001/attachments/a.png",
      init: { headers: { Authorization: `Bearer mess_${id}_${SECRET}` } },
    }),
  ],
  [
    "an API key at the MCP endpoint",
    (id) => ({
      path: "/mcp",
      init: json({}, { Authorization: `Bearer mess_${id}_${SECRET}` }),
    }),
  ],
  ["a signed callback", (id) => ({ path: `/hooks/executor/${id}/robo`, init: json({}, signed()) })],
  ["an event of Slack", (id) => ({ path: `/hooks/slack/${id}`, init: json({}) })],
  ["an update of Telegram", (id) => ({ path: `/hooks/telegram/${id}`, init: json({}) })],
  ["a message to a source", (id) => ({ path: `/hooks/sources/${id}/alerts`, init: json({}) })],
  ["a message of Twilio", (id) => ({ path: `/hooks/twilio/${id}`, init: json({}) })],
  ["an opened sign-in link", (id) => ({ path: `/sign-in?token=signin_${id}_${SECRET}` })],
  [
    "a sign-in link",
    async (id) => {
      const { token, cookie } = await makeForm();
      return {
        path: "/sign-in",
        init: {
          method: "POST",
          body: new URLSearchParams({ form: token, token: `signin_${id}_${SECRET}` }),
          headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie, ...buildAddressHeader() },
        },
      };
    },
  ],
  [
    "a passkey",
    async (id) => {
      const { token, cookie } = await makeForm();
      const response = { id: "abc", response: { userHandle: toUserHandle(id) } };
      return {
        path: "/sign-in/passkey",
        init: json({ form: token, response }, { Cookie: cookie }),
      };
    },
  ],
];

const send = async ({ path, init }: Call): Promise<number> => {
  const response = await sendRequest(path, init);
  await response.text();
  return response.status;
};

const buildAbsentId = (): string => `nowhere-${crypto.randomUUID().slice(0, 8)}`;

const removeList = () => env.INDEX.prepare("DELETE FROM households").run();

const addToList = (id: unknown, listedAt: unknown, late: unknown) =>
  env.INDEX.prepare("INSERT INTO households VALUES (?, ?, ?)").bind(id, listedAt, late).run();

let listed: Record<string, unknown>[];

beforeEach(async () => {
  listed = (await env.INDEX.prepare("SELECT * FROM households").all()).results;
  await removeList();
  await addToList("listed-before", 0, 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await removeList();
  for (const { id, listed: at, late } of listed) await addToList(id, at, late);
});

describe("a call by a stranger", () => {
  it("every route with a household in its path is called by a stranger", async () => {
    const calls = await Promise.all(STRANGERS.map(async ([, build]) => await build("home")));
    const isCalled = (route: string): boolean => {
      const [, path = ""] = route.split(" ");
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
      return calls.some((call) => pattern.test(call.path));
    };
    const naming = listRoutes().filter((route) => route.includes(":household"));

    expect(naming.length).toBeGreaterThan(3);
    expect(
      naming.filter((route) => !isCalled(route)),
      "these routes need a call in STRANGERS of this file",
    ).toEqual([]);
  });

  it.each(STRANGERS)(
    "a call that names a household that does not exist calls no object: %s",
    async (_name, build) => {
      await createFreshHousehold();
      const calls = recordCalls();

      for (const id of [buildAbsentId(), buildAbsentId(), "UPPER", "-x", "a%2Fb", "x".repeat(64)])
        expect(await send(await build(id)), id).toBeGreaterThanOrEqual(400);

      expect(calls.filter(({ object }) => object !== undefined)).toEqual([]);
    },
  );

  it.each(STRANGERS)(
    "a call that names a household that exists is refused by its object: %s",
    async (_name, build) => {
      const { id } = await createFreshHousehold();
      const calls = recordCalls([id]);

      expect(await send(await build(id))).toBeGreaterThanOrEqual(400);

      expect(calls).toContainEqual({ method: expect.stringMatching(/^household\./), object: id });
    },
  );
});

describe("the list of households", () => {
  const isAdmitted = async (id: string): Promise<boolean> => {
    const calls = recordCalls([id]);
    await send({ path: `/hooks/slack/${id}`, init: json({}) });
    vi.restoreAllMocks();
    return calls.some(({ object }) => object === id);
  };

  it("a household is found right after its creation, by a name that was called before", async () => {
    const id = buildAbsentId();
    await createFreshHousehold();

    const before = await isAdmitted(id);
    const headers = { Authorization: `Bearer ${OPERATOR_KEY}` };
    const made = await expectOkJson(await sendRequest("/api/v1/households", json({ id }, headers)));

    expect([before, await isAdmitted(id)]).toEqual([false, true]);
    expect(made.household.id).toBe(id);
  });

  it("while D1 fails every household can be called, and for a moment after that", async () => {
    await createFreshHousehold();
    // In the past, so that the following tests look up households again.
    vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
    vi.spyOn(env.INDEX, "prepare").mockImplementation(() => {
      throw new Error("D1 is down");
    });

    const during = await isAdmittedWithoutRestore();
    vi.restoreAllMocks();
    const after = await isAdmitted(buildAbsentId());
    vi.setSystemTime(Date.now() + SKIP_MS);
    const later = await isAdmitted(buildAbsentId());

    expect([during, after, later]).toEqual([true, true, false]);

    async function isAdmittedWithoutRestore(): Promise<boolean> {
      const getByName = vi.spyOn(env.HOUSEHOLDS, "getByName");
      const id = buildAbsentId();
      await send({ path: `/hooks/slack/${id}`, init: json({}) });
      return getByName.mock.calls.some(([name]) => name === id);
    }
  });

  it("a list that was lost admits every household until all have listed themselves again", async () => {
    const [first, second] = [await createFreshHousehold(), await createFreshHousehold()];
    await removeList();
    const lost = await isAdmitted(buildAbsentId());

    const now = Date.now();
    vi.useFakeTimers({ now: now + 86_400_000, toFake: ["Date"] });
    await runDurableObjectAlarm(getHouseholdObject(first.id));
    const partial = await isAdmitted(buildAbsentId());
    await runDurableObjectAlarm(getHouseholdObject(second.id));
    const { results } = await env.INDEX.prepare("SELECT id FROM households ORDER BY id").all();
    vi.setSystemTime(now + 4 * 86_400_000);

    expect([lost, partial]).toEqual([true, true]);
    // Households of earlier tests may list themselves too.
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, second.id]));
    expect(await isAdmitted(buildAbsentId())).toBe(false);
    expect(await isAdmitted(second.id)).toBe(true);
  });

  it("a list that is new in a deployment with threads is not complete with the next household", async () => {
    const { agent, owner } = await createFreshHousehold();
    await agent.createThread("look at the basil");
    await waitUntil(async () =>
      expect((await owner.read("/api/v1/statistics")).threads).toBeGreaterThan(0),
    );
    await removeList();

    await createFreshHousehold();

    expect(await isAdmitted(buildAbsentId())).toBe(true);
  });

  it("a household that was created while D1 was down lists itself when D1 is back", async () => {
    const id = buildAbsentId();
    await createFreshHousehold();
    const broken = vi.spyOn(env.INDEX, "prepare").mockImplementation(() => {
      throw new Error("D1 is down");
    });
    const settings = { id, time_zone: "UTC" };
    const made = await getHouseholdStub(env, id).settings.setUp(settings, {
      actor: "owner",
      key_hash: SECRET,
    });
    broken.mockRestore();
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });

    const ran = await runDurableObjectAlarm(getHouseholdObject(id));

    expect([made.ok, ran]).toEqual([true, true]);
    expect(await isAdmitted(id)).toBe(true);
  });
});
