/** The API for the MESS clients that exist: what they send, and the answers that they expect. */
import { createRatedWorker } from "../quotas/rate-support.ts";
import { beforeAll, describe, expect, it } from "vitest";
import {
  buildAddressHeader,
  Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  sendRequest,
  type TestHousehold,
  type Answered,
} from "../support.ts";

let home: TestHousehold;
let base: string;
let phone: Caller;
let tablet: Caller;

const withBody = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
});

const register = async (body: unknown, exchange = home.id): Promise<Response> =>
  await sendRequest(`/api/v1/exchanges/${exchange}/register`, {
    ...withBody("POST", body),
    headers: buildAddressHeader(),
  });

const join = async (id: string, more: object = {}): Promise<Caller> => {
  const { api_key } = await expectOkJson(await register({ executor_id: id, ...more }));
  return new Caller(id, api_key as string);
};

const configure = async (config: object): Promise<void> => {
  await expectOkJson(await home.owner.post("/api/v1/config", config));
};

const create = async (caller: Caller, body: object): Promise<Answered> =>
  await expectOkJson(await caller.fetch(`${base}/requests`, withBody("POST", body)));

const patch = async (caller: Caller, ref: string, body: object, query = ""): Promise<Response> =>
  await caller.fetch(`${base}/requests/${ref}${query}`, withBody("PATCH", body));

beforeAll(async () => {
  home = await createFreshHousehold();
  base = `/api/v1/exchanges/${home.id}`;
  await configure({
    access: { registration: "open", threads: "open" },
    executors: { ann: null, robo: null, ben: null },
    capabilities: [{ id: "photo", description: "Take a photo", tags: ["camera"] }, { id: "drive" }],
  });
  phone = await join("phone", { display_name: "My phone", capabilities: ["photo"] });
  tablet = await join("tablet");
});

describe("registration of MESS clients", () => {
  it("is refused while the household is closed, in the words of one that does not exist", async () => {
    const closed = await createFreshHousehold();
    const refused = await register({ executor_id: "spy" }, closed.id);
    const unknown = await register({ executor_id: "spy" }, "no-such-household");
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual(await unknown.json());
  });

  it("makes a member with the profile that it sends", async () => {
    const keys = (await home.owner.read("/api/v1/keys")).keys as { actor: string; role: string }[];
    expect(keys.find(({ actor }) => actor === "phone")).toMatchObject({ role: "member" });
    const { executors } = await phone.read(`${base}/executors`);
    expect(executors).toContainEqual(
      expect.objectContaining({ id: "phone", display_name: "My phone", capabilities: ["photo"] }),
    );
  });

  it.each([
    [409, { executor_id: "phone" }],
    [409, { executor_id: "owner" }],
    [409, { executor_id: "exchange" }],
    [400, { display_name: "nobody" }],
    [400, { executor_id: "" }],
    [400, { executor_id: "; rm -rf /" }],
    [400, { executor_id: "a\r\nX-Injected: true" }],
    [400, { executor_id: "a".repeat(65) }],
    [400, { executor_id: 7 }],
    [400, { executor_id: "lamp", capabilities: [["photo"]] }],
    [
      400,
      { executor_id: "lamp", notifications: [{ type: "webhook", url: "ftp://example.com/x" }] },
    ],
    [400, { executor_id: "lamp", notifications: [{ type: "ntfy", topic: "${SLACK_BOT_TOKEN}" }] }],
    [400, []],
  ])("answers %i to the registration %j", async (status, body) => {
    expect((await register(body)).status).toBe(status);
  });

  it("leaves half of the household's keys to its owners", async () => {
    const operator = new Caller("operator", "test-operator-key");
    const limits = `/api/v1/households/${home.id}/limits`;
    const set = async (limit: object) =>
      await expectOkJson(
        await operator.fetch(limits, {
          ...withBody("PUT", limit),
          headers: { "Content-Type": "application/json" },
        }),
      );
    await set({ keys_per_household: 8 });
    const refused = await register({ executor_id: "lamp" });
    await home.addMember("guest-of-owner", "executor");
    await set({});
    expect(await readRefusal(refused)).toBe("429 too_many");
  });

  it("counts registrations by address", async () => {
    const worker = createRatedWorker({ limits: '{"attempts_per_address": 1}' });
    const headers = buildAddressHeader();
    const send = async (executor_id: string): Promise<number> =>
      (await worker.fetch(`${base}/register`, { ...withBody("POST", { executor_id }), headers }))
        .status;
    expect([await send("phone"), await send("phone"), await send("free-id")]).toEqual([
      409, 429, 429,
    ]);
  });
});

describe("credentials of MESS clients", () => {
  it.each([
    ["", "401 unauthenticated"],
    ["Bearer ", "401 unauthenticated"],
    ["Bearer mess_home", "401 unauthenticated"],
    ["Bearer not_a_mess_token", "401 unauthenticated"],
    [`Bearer ${"A".repeat(10_000)}`, "401 unauthenticated"],
    ["Basic YWRtaW46YWRtaW4=", "401 unauthenticated"],
  ])("the header %.40j gets %s, on any path", async (Authorization, refusal) => {
    for (const path of ["/requests", "/requests/2026-01-01-001", "/nothing", "/executors"])
      expect(
        await readRefusal(await sendRequest(base + path, { headers: { Authorization } })),
      ).toBe(refusal);
  });

  it("another exchange is refused, whether it exists or not; unknown paths are not found", async () => {
    const other = await createFreshHousehold();
    for (const exchange of [other.id, "nonexistent", "UPPER", "..%00home"])
      expect(await readRefusal(await phone.fetch(`/api/v1/exchanges/${exchange}/requests`))).toBe(
        "403 wrong_exchange",
      );
    expect(await readRefusal(await phone.fetch(`${base}/nothing`))).toBe("404 not_found");
  });
});

describe("requests of MESS clients", () => {
  it("are created, listed, claimed by their own requestor, completed and read", async () => {
    const created = await create(phone, {
      intent: "check the front door",
      context: ["the blue one"],
      response_hints: ["text"],
      id: "door",
      status: "completed",
      ref: "2020-01-01-001",
    });
    expect(created).toMatchObject({ ref: expect.stringMatching(/-door$/), status: "pending" });
    const { ref } = created as { ref: string };
    const { threads } = await tablet.read(`${base}/requests?status=pending`);
    expect(threads).toContainEqual(
      expect.objectContaining({ ref, status: "pending", requestor_id: "phone", executor_id: null }),
    );
    expect(await expectOkJson(await patch(phone, ref, { status: "claimed" }))).toEqual({
      ref,
      status: "claimed",
    });
    const done = { status: "completed", mess: [{ response: { re: ref, content: ["locked"] } }] };
    expect(await expectOkJson(await patch(phone, ref, done))).toEqual({ ref, status: "completed" });
    expect(await expectOkJson(await patch(phone, ref, { status: "completed" }))).toEqual({
      ref,
      status: "completed",
    });
    const { thread } = await tablet.read(`${base}/requests/${ref}`);
    expect(thread).toMatchObject({
      ref,
      status: "completed",
      intent: "check the front door",
      executor_id: "phone",
    });
    expect(JSON.stringify(thread.messages.map((one: { mess: unknown }) => one.mess))).toContain(
      "locked",
    );
    expect((await tablet.read(`${base}/requests?status=completed`)).threads[0]).toMatchObject({
      ref,
    });
  });

  it("answers statuses in the caller's spelling when it asks so or writes so", async () => {
    const { ref } = await create(phone, { intent: "water the cactus" });
    const started = await expectOkJson(await patch(tablet, ref, { status: "in-progress" }));
    const styled = await tablet.read(`${base}/requests/${ref}?status_style=hyphen`);
    const preferred = await tablet.fetch(`${base}/requests?status=in_progress`, {
      headers: { Prefer: "status=hyphen" },
    });
    const plain = await tablet.read(`${base}/requests/${ref}`);
    const asked = await expectOkJson(
      await patch(tablet, ref, { status: "needs-input", message: "How much?" }),
    );
    const rejected = await expectOkJson(
      await patch(tablet, ref, { status: "rejected", message: "no can" }, "?status_style=snake"),
    );

    expect(started.status).toBe("in-progress");
    expect(styled.thread.status).toBe("in-progress");
    expect((await expectOkJson(preferred)).threads[0]).toMatchObject({
      ref,
      status: "in-progress",
    });
    expect(plain.thread.status).toBe("in_progress");
    expect(asked.status).toBe("needs-input");
    expect(rejected.status).toBe("pending");
  });

  it("cancels for the requestor, and sends a message alone as a followup", async () => {
    const { ref } = await create(phone, { intent: "buy oat milk" });
    await expectOkJson(await patch(tablet, ref, { status: "claimed" }));
    await expectOkJson(await patch(phone, ref, { message: "two, please" }));
    expect(
      await expectOkJson(await patch(phone, ref, { status: "canceled", message: "found some" })),
    ).toEqual({
      ref,
      status: "cancelled",
    });
    const { thread } = await phone.read(`${base}/requests/${ref}`);
    expect(JSON.stringify(thread.messages)).toContain("two, please");
    expect(await readRefusal(await patch(tablet, ref, { status: "completed" }))).toBe(
      "409 thread_finished",
    );
  });

  it("serves the files of a request", async () => {
    const image = `data:image/png;base64,${btoa("pixels".repeat(20_000))}`;
    const { ref } = await create(phone, { intent: "look at this", context: [{ image }] });
    const { thread } = await tablet.read(`${base}/requests/${ref}`);
    const file = await tablet.fetch(thread.attachments[0].url as string);
    expect(await file.text()).toBe("pixels".repeat(20_000));
    expect(file.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(
      await readRefusal(await tablet.fetch(`${base}/requests/${ref}/attachments/..%2Fsecret`)),
    ).toBe("404 not_found");
  });

  it.each([
    ["POST", "", ""],
    ["POST", "", "{"],
    ["POST", "", "{'intent': 'test'}"],
    ["POST", "", '{"intent": "test",}'],
    ["POST", "", '{"intent": NaN}'],
    ["POST", "", "intent: test"],
    ["POST", "", "[]"],
    ["POST", "", '{"priority": "normal"}'],
    ["POST", "", '{"intent": ""}'],
    ["POST", "", '{"intent": null}'],
    ["POST", "", '{"intent": "x", "priority": "CRITICAL"}'],
    ["POST", "", '{"intent": "x", "__proto__": {"admin": true}}'],
    ["PATCH", "ref", "{}"],
    ["PATCH", "ref", '{"status": "ADMIN"}'],
    ["PATCH", "ref", '{"status": "pending\\u0000admin"}'],
    ["PATCH", "ref", '{"mess": [{"request": {"intent": "another"}}]}'],
    ["PATCH", "ref", '{"mess": [{"config": {"access": null}}]}'],
    ["PATCH", "ref", '{"mess": [{"followup": {"re": "2020-01-01-001", "message": "elsewhere"}}]}'],
    ["PATCH", "ref", '{"mess": "claimed"}'],
  ])("answers 400 to %s of %s%j", async (method, target, body) => {
    const ref =
      target === "" ? "" : `/${(await create(phone, { intent: "a target", id: "target" })).ref}`;
    const refused = await phone.fetch(`${base}/requests${ref}`, { method, body });
    expect(refused.status).toBe(400);
    expect(await refused.text()).not.toMatch(/ at .*\.ts|Stack/);
  });

  it.each(["9999-99-99-XXXX", "invalid-ref", "..%2F..%2Fetc%2Fpasswd", "%00"])(
    "answers 404 to the unknown ref %s",
    async (ref) => {
      expect((await phone.fetch(`${base}/requests/${ref}`)).status).toBe(404);
      expect((await patch(phone, ref, { status: "claimed" })).status).toBe(404);
      expect((await phone.fetch(`${base}/export/${ref}`)).status).toBe(404);
    },
  );
});

describe("profiles, capabilities and files of MESS clients", () => {
  it("a member changes its own profile only, and keeps the address that its owner set", async () => {
    await configure({ dispatch: { email: { from: "home@example.org" } } }).catch(() => undefined);
    await configure({
      executors: {
        tablet: { capabilities: ["drive"], notify: { sms: "+491701234567", ntfy: "old" } },
      },
    });
    const change = {
      display_name: "Tablet",
      notifications: [
        { type: "ntfy", topic: "new" },
        { type: "sms", number: "+15550100" },
      ],
      preferences: {
        min_priority: "elevated",
        quiet_hours: { start: "22:00", end: "07:00" },
        theme: "dark",
      },
    };
    const changed = await expectOkJson(
      await tablet.fetch(`${base}/executors/tablet`, withBody("PATCH", change)),
    );
    const refused = await tablet.fetch(
      `${base}/executors/phone`,
      withBody("PATCH", { display_name: "Mine" }),
    );

    expect(changed).toMatchObject({ executor_id: "tablet", warnings: expect.any(Array) });
    expect(await readRefusal(refused)).toBe("403 wrong_role");
    const executors = (await home.owner.read("/api/v1/config")).config.executors;
    expect(executors.tablet).toMatchObject({
      name: "Tablet",
      capabilities: ["drive"],
      min_priority: "elevated",
      quiet_hours: "22:00-07:00",
    });
    expect(executors.tablet.notify).toEqual([
      { ntfy: expect.any(String) },
      { sms: expect.anything() },
    ]);
    expect(executors.phone.name).toBe("My phone");
  });

  it("capabilities are filtered by tag", async () => {
    const { capabilities } = await phone.read(`${base}/capabilities?tag=camera`);
    expect(capabilities).toEqual([expect.objectContaining({ id: "photo", executors: ["phone"] })]);
    const all = (await phone.read(`${base}/capabilities`)).capabilities;
    expect(all.map(({ id }: { id: string }) => id)).toEqual(["drive", "photo"]);
  });

  it("an exported thread is imported elsewhere by an owner, from its files or its text", async () => {
    const { ref } = await create(phone, { intent: "read the meter" });
    const exported = await phone.read(`${base}/export/${ref}`);
    const { content } = await phone.read(`${base}/export/${ref}?format=v1`);
    const text = await phone.fetch(`${base}/export/${ref}`, {
      headers: { Accept: "application/yaml" },
    });
    const zip = await phone.fetch(`${base}/export/${ref}?format=zip`);
    await zip.arrayBuffer();
    const other = await createFreshHousehold();
    const target = `/api/v1/exchanges/${other.id}/import`;
    const imported = await other.owner.post(target, { files: exported.files });
    const again = await other.owner.post(target, { content });

    expect(exported.files[0].content).toContain(ref);
    expect(await text.text()).toBe(content);
    expect(zip.headers.get("Content-Type")).toBe("application/zip");
    expect([imported.status, await imported.json()]).toMatchObject([
      201,
      { imported: 1, threads: [{ ref }] },
    ]);
    expect([again.status, await again.json()]).toMatchObject([
      200,
      { threads: [{ ref, fresh: false }] },
    ]);
    expect(await readRefusal(await phone.post(`${base}/import`, { content }))).toBe(
      "403 wrong_role",
    );
  });
});

/** Values that a field may have in a broken client. */
const ODD_VALUES = [
  null,
  true,
  -1,
  1e300,
  "",
  "\u0000",
  "\ud800",
  "x".repeat(70_000),
  [],
  [[]],
  {},
  { re: {} },
  [null],
  ["a", { file: "/etc/passwd" }],
  { "": 1 },
  Array.from({ length: 3_000 }, () => "item"),
  "'; DROP TABLE users; --",
  "💩",
];
const FIELDS = {
  "/register": ["executor_id", "display_name", "capabilities", "notifications", "preferences"],
  "/requests": ["intent", "context", "priority", "requires", "response_hints", "id", "constraints"],
  "/requests/REF": ["status", "mess", "message"],
  "/executors/phone": ["display_name", "capabilities", "notifications", "preferences"],
  "/import": ["content", "files"],
};

describe("malformed bodies of MESS clients", () => {
  it.each(Object.entries(FIELDS))(
    "%s never answers 5xx, whatever its fields hold",
    async (path, fields) => {
      const { ref } = await create(phone, { intent: "a target of odd bodies" });
      const target = base + path.replace("REF", ref);
      const method = path === "/requests/REF" || path.startsWith("/executors/") ? "PATCH" : "POST";
      const caller = path === "/import" ? home.owner : phone;
      const bodies = fields.flatMap((field) =>
        ODD_VALUES.map((value) =>
          JSON.stringify({ executor_id: "odd", intent: "odd", [field]: value }),
        ),
      );
      const nested = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`;
      const texts = [
        ...bodies,
        nested,
        bodies[0]!.slice(0, -1),
        `\u0000${bodies[0]}`,
        '"text"',
        "0",
      ];
      const headers = { ...buildAddressHeader(), "Content-Type": "application/json" };
      const answers = await Promise.all(
        texts.map(async (body) => {
          const response = await caller.fetch(target, { method, body, headers });
          await response.arrayBuffer();
          return [response.status, body.slice(0, 80)] as const;
        }),
      );
      expect(answers.filter(([status]) => status >= 500)).toEqual([]);
    },
  );
});

describe("the protocol around the API for MESS clients", () => {
  it("health is the same for any exchange, and at the root", async () => {
    for (const path of ["/health", `${base}/health`, "/api/v1/exchanges/nowhere/health"]) {
      const response = await sendRequest(path);
      expect(await response.json()).toMatchObject({
        status: "ok",
        service: expect.any(String),
        exchange_id: expect.any(String),
      });
      expect((await sendRequest(path, { method: "HEAD" })).status).toBe(200);
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
    expect((await (await sendRequest(`${base}/health`)).json<Answered>()).exchange_id).toBe(
      home.id,
    );
    expect((await sendRequest("/api/v1/exchanges/No_Id/health")).status).toBe(400);
  });

  it("pages of other origins may call it, also where they are refused", async () => {
    for (const path of [
      "/health",
      `${base}/requests`,
      `${base}/requests/any`,
      `${base}/register`,
      `${base}/nothing`,
    ]) {
      const preflight = await sendRequest(path, { method: "OPTIONS" });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Authorization");
    }
    const refused = await sendRequest(`${base}/requests`);
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(
      (await sendRequest(`${base}/requests/any`, { method: "OPTIONS" })).headers.get(
        "Access-Control-Allow-Methods",
      ),
    ).toContain("PATCH");
    const ours = await sendRequest("/mess", { method: "OPTIONS" });
    expect(ours.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });
});
