import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Answered,
  Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  OPERATOR_KEY,
  sendRequest,
} from "../support.ts";
import { readHouseholdContents, readSharedContents } from "./store-contents.ts";

/** The secrets of the scenario, by kind. */
const given = new Map<string, string>();
const printed: string[] = [];
/** Everything that an owner or an agent reads of the household. */
const exported: string[] = [];
/** Addresses of deliveries, each of which failed with an exception that quotes the address. */
const sent: string[] = [];
let household: string;

const LEVELS = ["log", "info", "warn", "error", "debug"] as const;

beforeAll(async () => {
  for (const level of LEVELS)
    vi.spyOn(console, level).mockImplementation((...args: unknown[]) => {
      printed.push(args.map((one) => (one instanceof Error ? one.stack : String(one))).join(" "));
    });
  vi.stubGlobal("fetch", async (...[input, init]: Parameters<typeof fetch>) => {
    const { url, headers } = new Request(input, init);
    sent.push(url);
    throw new Error(`cannot connect to ${url} with ${JSON.stringify([...headers])}`);
  });
  await runScenario();
});

afterAll(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Creates keys of every role, a key with a repeatable response, a used link, uploads, refusals, and a defect. */
async function runScenario(): Promise<void> {
  const home = await createFreshHousehold();
  household = home.id;
  const { owner, agent, ann } = home;
  for (const caller of [owner, agent, ann]) given.set(`key of ${caller.actor}`, caller.key);
  const repeatable = { actor: "eve", role: "agent", label: "Eve's" };
  const again = { "Idempotency-Key": "eve-1" };
  const eve = await expectOkJson(await owner.post("/api/v1/keys", repeatable, again));
  given.set("a repeatable key", eve.key as string);
  given.set("the operator's key", OPERATOR_KEY);
  given.set("the Worker's secret", env.MESS_SECRET);
  const made = await new Caller("operator", OPERATOR_KEY).post(
    "/api/v1/households",
    { id: `${home.id}-b` },
    { "Idempotency-Key": "b" },
  );
  given.set("the key of another owner", (await expectOkJson(made)).owner.key as string);

  const ref = await agent.createThread("photograph the shelf", {
    requires: ["take-photo"],
    id: "shelf",
  });
  const link = await expectOkJson(await agent.post(`/mess/${ref}/links`, { executor: "ann" }));
  const token = new URL(link.url as string).searchParams.get("token")!;
  given.set("a link's token", token);
  given.set("a link's signature", token.split(".")[2]!);
  const code = new URL(link.short_url as string).pathname.split("/").at(-1)!;
  given.set("a short link's code", code);
  const bearer = new Caller("ann", token);
  await bearer.fetch(`/thread/${ref}`);
  await sendRequest(`/thread/${ref}?token=${token}`);
  await sendRequest(`/thread/${ref}?token=${token}&token=${token}`);
  await sendRequest(`/r/${code}`);
  await breakOnce(() =>
    sendRequest("/respond/session", { method: "POST", body: `{"code":"${code}"}` }),
  );
  await breakOnce(() => sendRequest(`/r/${code}?x=${token}`, { method: "POST" }));
  await bearer.post(`/thread/${ref}`, { status: { code: "claimed" } });
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  await ann.fetch(`/mess/${ref}/attachments?name=a.png`, { method: "POST", body: png });
  await bearer.fetch(`/mess/${ref}/attachments/none.png`);
  await agent.read(`/mess/${ref}`);
  for (const caller of [owner, agent, ann, bearer]) {
    await caller.fetch("/mess?limit=x");
    await caller.postBlocks({ nonsense: true });
    await caller.fetch(`/api/v1/keys/${caller.key}`, { method: "DELETE" });
    await caller.fetch(`/mess/${caller.key}`);
    await caller.fetch(`/mess?q=${caller.key}`);
    await breakOnce(() => caller.fetch(`/mess/${ref}`));
  }
  await owner.fetch("/api/v1/keys");
  await createSessions(owner);
  await readColorChannels(owner);
  await configureAddresses(owner);
  await createDeliveries(agent);
  await requestExports([owner, agent]);
}

/** A value that a search finds wherever it is in plain text. */
const createSecret = (name: string): string => {
  const value = `${name.replaceAll(/[^A-Za-z]+/g, "-")}-${crypto.randomUUID()}`;
  given.set(name, value);
  return value;
};

/** Secrets of channels, set by name and written into the configuration, and those that the household generates. */
async function readColorChannels(owner: Caller): Promise<void> {
  const signing = `whsec_${crypto.randomUUID().replaceAll("-", "")}`;
  given.set("a webhook's secret", signing);
  const put = {
    method: "PUT",
    body: JSON.stringify({ value: createSecret("secret set by name") }),
  };
  await expectOkJson(await owner.fetch("/api/v1/secrets/SMS_TOKEN", put));
  await expectOkJson(
    await owner.postBlocks({
      config: {
        dispatch: {
          sms: { account_sid: "AC1", from: "+15550100", auth_token: "${SMS_TOKEN}" },
          slack: {
            bot_token: createSecret("bot token"),
            signing_secret: createSecret("signing secret"),
          },
          telegram: { bot_token: createSecret("telegram token") },
          alerts: {
            discord: `https://discord.com/api/webhooks/1/${createSecret("discord webhook")}`,
          },
        },
        executors: {
          robot: { notify: { webhook: { url: "https://r.example/", secret: signing } } },
        },
      },
    }),
  );
  await owner.postBlocks({ config: { dispatch: { slack: [createSecret("wrong shape")] } } });
  const home = getHouseholdStub(env, household);
  const settings = await home.contacts.getChannelSettings("telegram");
  given.set("Telegram's webhook secret", settings?.["webhook_secret"] as string);
  const vapid = await home.contacts.getVapidKeys();
  given.set("the key for push services", vapid.ok ? vapid.value.privateKey.d! : "");
}

/** Secrets in addresses of every kind, and in unknown channels. */
async function configureAddresses(owner: Caller): Promise<void> {
  const notify: Record<string, object> = {
    hooked: {
      webhook: `https://hook.example/${createSecret("webhook path")}?key=${createSecret("webhook query")}`,
    },
    named: {
      webhook: {
        url: `https://ann:${createSecret("webhook password")}@named.example/x`,
        headers: {
          Authorization: `Bearer ${createSecret("webhook header")}`,
          "X-Y": createSecret("header"),
        },
      },
    },
    printer: { mcp: `https://mcp.example/mcp?token=${createSecret("MCP query")}` },
    plotter: {
      mcp: { url: `https://mcp.example/${createSecret("MCP path")}`, token: createSecret("MCP") },
    },
    phone: { ntfy: createSecret("ntfy topic") },
    pager: { ntfy: `https://push.example/${createSecret("ntfy address")}` },
    foreign: {
      matrix: {
        room: "#home",
        auth: createSecret("unknown auth"),
        server: `wss://m/${createSecret("ws")}`,
      },
      gotify: `https://gotify.example/message?token=${createSecret("unknown query")}`,
      apprise: `tgram://${createSecret("unknown host")}/1`,
      pushover: createSecret("unknown text"),
    },
  };
  const executors = Object.fromEntries(
    Object.entries(notify).map(([id, ways]) => [id, { capabilities: ["vent"], notify: ways }]),
  );
  const api = `https://ntfy.example/${createSecret("ntfy server")}/`;
  const dispatch = { ntfy: { api, token: createSecret("ntfy token") } };
  await expectOkJson(await owner.postBlocks({ config: { dispatch, executors } }));
}

/** Notifies all members; every delivery fails with an error that quotes the address. */
async function createDeliveries(agent: Caller): Promise<void> {
  const requires = ["vent"];
  const ref = await agent.createThread("open the vents", { requires, priority: "urgent" });
  const wanted = ["webhook query", "MCP path", "ntfy server"];
  await waitUntil(async () => {
    for (const name of wanted) expect(sent.join("\n")).toContain(given.get(name));
    exported.push(JSON.stringify(await agent.read(`/mess/${ref}/deliveries`)));
    expect(exported.at(-1)).toContain("the connection failed");
  });
}

async function requestExports(callers: readonly Caller[]): Promise<void> {
  const paths = [
    "/api/v1/config",
    "/api/v1/executors",
    "/api/v1/secrets",
    "/api/v1/events",
    "/api/v1/household",
    "/api/v1/statistics",
    "/mess",
  ];
  for (const caller of callers) {
    for (const path of paths)
      for (const Accept of ["application/json", "application/yaml"])
        exported.push(await (await caller.fetch(path, { headers: { Accept } })).text());
    for (const type of ["executors", "capabilities", "status"])
      exported.push(await (await caller.postBlocks({ query: { type } })).text());
    const zip = await caller.fetch("/mess/export.zip");
    exported.push(new TextDecoder("latin1").decode(await zip.arrayBuffer()));
  }
}

/** A defect during a call, whose exception quotes secrets. */
async function breakOnce(call: () => Promise<Response>): Promise<void> {
  const secrets = [...given.values()].join(" ");
  const spy = vi.spyOn(env.THREADS, "getByName").mockImplementation(() => {
    throw new Error(`cannot read ${secrets}`);
  });
  try {
    const response = await call();
    expect(await response.text()).not.toContain(OPERATOR_KEY);
  } finally {
    spy.mockRestore();
  }
}

/** Signs a person in: the link, and its session. */
async function createSessions(owner: Caller): Promise<void> {
  const body: Answered = await expectOkJson(
    await owner.post("/api/v1/sign-in-links", { actor: "pat", role: "agent" }),
  );
  const url = Object.values(body as object).find((one) => /^https?:/.test(String(one))) as string;
  given.set("a sign-in link", /[A-Za-z0-9_-]{20,}$/.exec(url)?.[0] ?? url);
}

/** The parts of a secret that would give access on their own. */
const splitSecret = (secret: string): string[] => {
  const hex = /[0-9a-f]{64}$/.exec(secret)?.[0];
  return [secret, ...(hex === undefined ? [] : [hex])];
};

const findLeaked = (text: string): string[] =>
  [...given].flatMap(([name, secret]) =>
    splitSecret(secret).some((one) => text.includes(one)) ? [name] : [],
  );

describe("secrets of a household", () => {
  it("no secret is in any store", async () => {
    const contents = [
      await readHouseholdContents(household),
      await readHouseholdContents(`${household}-b`),
      await readSharedContents(),
    ];
    const text = JSON.stringify(contents, (_key, value: unknown) =>
      value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : value,
    );
    expect(given.size).toBeGreaterThanOrEqual(34);
    // The dump would contain a stored secret.
    expect(text).toContain("photograph the shelf");
    expect(text).toContain('"hash":"');
    expect(text).toContain("image/png");

    expect(findLeaked(text)).toEqual([]);
  });

  it("no secret is in any export or response", () => {
    const text = exported.join("\n");
    expect(text).toContain("https://hook.example/${HOOKED_WEBHOOK}");
    expect(text).toContain("open the vents");

    expect(findLeaked(text)).toEqual([]);
  });

  it("no secret is in any log line, not even of a defect", () => {
    const text = printed.join("\n");
    expect(text).toContain('"event":"household_made"');
    expect(
      printed.filter((line) => line.includes('"event":"defect"')).length,
    ).toBeGreaterThanOrEqual(4);

    expect(findLeaked(text)).toEqual([]);
  });
});
