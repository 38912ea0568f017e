/** Lifecycle hooks: which events call which webhook, with what, and what the receiver may rely on. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readFreshHeaders, verifyWebhook } from "../../../src/auth/callbacks/webhook-signatures.ts";
import { reachOutside } from "../ingress/local-services.ts";
import {
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../support.ts";

interface Received {
  url: string;
  headers: Headers;
  bytes: Uint8Array;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

const OWN_SECRET = `whsec_${btoa("a secret of 32 bytes, 32 bytes!!")}`;

let home: TestHousehold;
const received: Received[] = [];

/** Hooks of different events do not wait for each other. */
const listEvents = (ref: string): Set<string> =>
  new Set(listOf(ref).map(({ body }) => body.event as string));

const isSigned = async (secret: string, { headers, bytes }: Received): Promise<boolean> => {
  const fresh = readFreshHeaders(headers, Date.now());
  return fresh !== undefined && (await verifyWebhook(secret, fresh, bytes));
};

const configure = (config: object): Promise<Response> => home.owner.post("/api/v1/config", config);

const listOf = (ref: string): Received[] =>
  received.filter(({ headers }) => headers.get("mess-ref") === ref);

beforeAll(async () => {
  home = await createFreshHousehold();
  reachOutside({
    "https://hooks.example.com": async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
      received.push({ url: request.url, headers: request.headers, bytes, body });
      return new Response(null, { status: 204 });
    },
    "https://gone.example.com": async () => new Response(null, { status: 410 }),
  });
  const all = "https://hooks.example.com/path-token/all";
  await expectOkJson(
    await configure({
      hooks: {
        on_request_created: all,
        claimed: [
          all,
          {
            url: "https://hooks.example.com/claims?ref={ref}&what={{intent}}",
            secret: OWN_SECRET,
            headers: {
              Authorization: "Bearer auth-token",
              "X-Trace": "header-token",
              "X-What": "{intent}",
            },
            body: { text: "{executor_id} took {ref}: {{intent}} {unknown}", list: ["{status}"] },
          },
        ],
        started: all,
        completed: all,
        rejected: all,
        cancelled: [all, "https://gone.example.com/x"],
      },
    }),
  );
});

afterAll(() => vi.unstubAllGlobals());

describe("lifecycle hooks", () => {
  it("call their webhook once for each event, also where a burst causes one summary", async () => {
    const ref = await home.agent.createThread("look at the boiler");
    await home.ben.claim(ref);
    await home.ben.appendBlocks(ref, { status: { code: "in_progress" } });
    await home.ben.appendBlocks(ref, { status: { code: "in_progress", message: "still" } });
    await home.ben.appendBlocks(ref, { status: { code: "completed" } });
    const of = (): Received[] => listOf(ref).filter(({ url }) => url.endsWith("/all"));
    await waitUntil(async () =>
      expect(new Set(of().map(({ body }) => body.event))).toEqual(
        new Set(["created", "claimed", "started", "completed"]),
      ),
    );

    expect(of().find(({ body }) => body.event === "completed")?.body).toMatchObject({
      event: "completed",
      exchange_id: home.id,
      ref,
      intent: "look at the boiler",
      status: "completed",
      requestor_id: "scout",
      executor_id: "ben",
    });
    expect(new Set(of().map(({ headers }) => headers.get("webhook-id"))).size).toBe(4);
  });

  it("fill variables into address, headers and body, and sign what they send", async () => {
    const ref = await home.agent.createThread('fetch ü & "x"\nnow'.replace("\n", " "));
    await home.ann.claim(ref);
    const call = await waitUntil(async () => {
      const found = listOf(ref).find(({ url }) => url.includes("/claims"));
      expect(found).toBeDefined();
      return found!;
    });
    const plain = await waitUntil(async () => {
      const found = listOf(ref).find(({ url }) => url.endsWith("/all"));
      expect(found).toBeDefined();
      return found!;
    });
    const { secret } = await home.owner.read("/api/v1/hooks/secret");

    expect(call.url).toBe(
      `https://hooks.example.com/claims?ref=${ref}&what=fetch%20%C3%BC%20%26%20%22x%22%20now`,
    );
    expect(call.headers.get("Authorization")).toBe("Bearer auth-token");
    expect(call.headers.get("X-Trace")).toBe("header-token");
    expect(call.headers.get("X-What")).toBe('fetch ? & "x" now');
    expect(call.body).toEqual({
      text: `ann took ${ref}: fetch ü & "x" now {unknown}`,
      list: ["claimed"],
    });
    expect(await isSigned(OWN_SECRET, call)).toBe(true);
    expect(await isSigned(secret as string, plain)).toBe(true);
  });

  it("report a rejection when nobody is left, and to the owners a receiver that is gone", async () => {
    const rejected = await home.agent.createThread("carry the piano", { requires: ["carry"] });
    await home.ben.appendBlocks(rejected, { status: { code: "declined" } });
    const open = await home.agent.createThread("carry the flute");
    await home.ben.appendBlocks(open, { status: { code: "declined" } });
    await home.ann.claim(open);
    const cancelled = await home.agent.createThread("carry the harp", { requires: ["carry"] });
    await home.agent.appendBlocks(cancelled, { cancel: {} });
    await waitUntil(async () => {
      expect(listEvents(rejected)).toEqual(new Set(["created", "rejected"]));
      expect(
        listOf(open)
          .map(({ body }) => body.event)
          .filter((event) => event !== "created"),
      ).toContain("claimed");
      expect(listEvents(cancelled)).toEqual(new Set(["created", "cancelled"]));
      expect((await home.owner.read("/api/v1/events?limit=500")).events).toContainEqual(
        expect.objectContaining({ action: "hook_failed", ref: cancelled }),
      );
    });
    expect(listOf(open).map(({ body }) => body.event)).not.toContain("rejected");
  });

  it("keep addresses and tokens sealed, and are restored from their export", async () => {
    const { config } = await home.owner.read("/api/v1/config");
    const text = JSON.stringify(config.hooks);
    for (const secret of ["path-token", "auth-token", "header-token", OWN_SECRET])
      expect(text).not.toContain(secret);
    expect(text).toContain("https://hooks.example.com/${");
    await expectOkJson(await configure({ hooks: config.hooks }));
    expect((await home.owner.read("/api/v1/config")).config.hooks).toEqual(config.hooks);
  });

  it("are not called once an owner has removed them", async () => {
    await expectOkJson(await configure({ hooks: { created: null, cancelled: null } }));
    const ref = await home.agent.createThread("look at the roof");
    await home.ann.claim(ref);
    await waitUntil(async () =>
      expect(listOf(ref).map(({ body }) => body.event)).toContain("claimed"),
    );
    expect(listOf(ref).map(({ body }) => body.event)).not.toContain("created");
  });

  it.each([
    { hooks: { finished: "https://hooks.example.com" } },
    { hooks: { created: "ftp://hooks.example.com" } },
    { hooks: { created: "https://{intent}.example.com/x" } },
    { hooks: { created: "{intent}" } },
    { hooks: { created: { url: "https://hooks.example.com", secret: "short" } } },
    { hooks: { created: { url: "https://hooks.example.com", headers: { Host: "x" } } } },
    { hooks: { created: { url: "https://hooks.example.com", headers: { "webhook-id": "x" } } } },
    { hooks: { created: { url: "https://hooks.example.com", body: "{ref}" } } },
    { hooks: { created: Array.from({ length: 5 }, () => "https://hooks.example.com") } },
  ])("refuse the configuration %j", async (config) => {
    expect(await readRefusal(await configure(config))).toBe("400 bad_field");
  });

  it("are set by owners only", async () => {
    const refused = await home.agent.postBlocks({
      config: { hooks: { created: "https://hooks.example.com" } },
    });
    expect(await readRefusal(refused)).toBe("403 wrong_role");
    expect(await readRefusal(await home.agent.fetch("/api/v1/hooks/secret"))).toBe(
      "403 wrong_role",
    );
  });
});
