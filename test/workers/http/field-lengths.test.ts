import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod";
import { CHANNELS } from "../../../src/channels/registry.ts";
import { HEADER_CHARS } from "../../../src/ingress/http/request-lengths.ts";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import { TOOLSETS } from "../../../src/ingress/mcp/toolsets-by-path.ts";
import { LIMITS } from "../../../src/mess/limits.ts";
import {
  FIELDS,
  limitIn,
  expectLimitNamed,
  buildPayloadWith,
} from "../../support/generators/message-text-places.ts";
import { listTextPlaces, withAt } from "../../support/generators/text-places.ts";
import {
  type Caller,
  expectOkJson,
  createFreshHousehold,
  type TestHousehold,
  countThreads,
} from "../support.ts";

let home: TestHousehold;
let ref: string;

beforeAll(async () => {
  home = await createFreshHousehold();
  ref = await home.agent.createThread("look at the basil", { id: "basil" });
});

interface Refused {
  status: number;
  path?: string;
  hint: string;
  line?: number;
  column?: number;
}

async function readRefused(response: Response): Promise<Refused> {
  const { error } = await response.json<{ error: Omit<Refused, "status"> }>();
  return { ...error, status: response.status };
}

const listStoredBlobs = async (): Promise<number> =>
  (await env.BLOBS.list({ prefix: `${home.id}/` })).objects.length;

/** Number of messages in the thread. */
const countMessages = async (): Promise<number> =>
  (await home.agent.read<{ messages: unknown[] }>(`/mess/${ref}`)).messages.length;

/** Converts `["status", "eta"]` to `MESS[0].status.eta`. */
const writePath = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "MESS[0]",
  );

describe("a message with a field that is too long", () => {
  it("every field of every message type that is too long is refused with its path and limit", async () => {
    const before = [await countThreads(home.agent), await countMessages(), await listStoredBlobs()];
    const long = "x".repeat(LIMITS.freeTextChars + 1);
    // An ack is refused before its fields are checked, since only the exchange sends one.
    const places = FIELDS.filter(({ type }) => type !== "ack");

    for (const place of places) {
      const response = await readRefused(
        await home.owner.postBlocks({ re: ref, [place.type]: buildPayloadWith(place, long) }),
      );
      const at = writePath([place.type, ...place.path]);

      expect([400, 413], at).toContain(response.status);
      expect(response.path).toBe(at);
      expect(limitIn(response.hint), at).toBeLessThanOrEqual(LIMITS.freeTextChars);
      expect(response.line, at).toBe(1);
      expect(response.column, at).toBeGreaterThan(1);
    }

    expect(places.length).toBeGreaterThan(150);
    // Counting the threads creates one.
    expect([
      await countThreads(home.agent),
      await countMessages(),
      await listStoredBlobs(),
    ]).toEqual([before[0]! + 1, before[1], before[2]]);
  }, 60_000);
});

/** The schemas of entry points other than messages. */
const SCHEMAS: [string, z.ZodType][] = [
  ...ROUTES.flatMap(({ method, path, query, body }): [string, z.ZodType][] => [
    [`the query of ${method} ${path}`, query],
    ...(body?.schema
      ? ([[`the body of ${method} ${path}`, body.schema]] as [string, z.ZodType][])
      : []),
  ]),
  ...TOOLSETS["/mcp/all"].tools.map(({ name, input }): [string, z.ZodType] => [
    `the tool ${name}`,
    input,
  ]),
  ...Object.entries(CHANNELS).flatMap(([kind, { settings, address }]) => [
    [`the settings of ${kind}`, settings] as [string, z.ZodType],
    [`an address of ${kind}`, address] as [string, z.ZodType],
  ]),
];

/** Whether an issue, or one inside its unions, is about the length of the text at the path. */
const isAboutLength = (issue: z.core.$ZodIssue, path: string): boolean =>
  issue.code === "invalid_union"
    ? issue.errors
        .flat()
        .some((inner) => isAboutLength({ ...inner, path: [...issue.path, ...inner.path] }, path))
    : issue.code === "too_big" && issue.origin === "string" && issue.path.join(".") === path;

describe("texts outside of messages", () => {
  it.each(SCHEMAS)("%s", (_name, schema) => {
    const long = "x".repeat(LIMITS.bodyBytes + 1);

    for (const { path, kind } of listTextPlaces(schema)) {
      if (kind === "any") continue;
      const read = schema.safeParse(withAt({}, path, long));
      const at = path.join(".");
      expect(
        read.error?.issues.some((issue) => isAboutLength(issue, at)),
        at,
      ).toBe(true);
    }
  });

  it("the schemas outside of messages have texts with a maximum length", () => {
    const texts = SCHEMAS.flatMap(([, schema]) => listTextPlaces(schema));
    expect(texts.filter(({ kind }) => kind === "text").length).toBeGreaterThan(80);
  });

  it.each([...HEADER_CHARS])(
    "a header %s of more than %i characters is refused",
    async (name, maxChars) => {
      const response = await home.agent.fetch(`/mess/${ref}`, {
        headers: { [name]: "1".repeat(maxChars + 1) },
      });

      expect(await readRefused(response)).toMatchObject({
        status: 400,
        path: name,
        hint: expectLimitNamed(maxChars),
      });
    },
  );

  it("an address that is too long is refused", async () => {
    const response = await home.agent.fetch(`/mess/${"x".repeat(9_000)}`);
    expect(response.status).toBe(400);
  });
});

const SPACES = " ".repeat(1_000);

/** Calls with one field that is too long, with its path and a check that nothing was stored. */
const CALLS: [
  string,
  string,
  (caller: TestHousehold) => Promise<Response>,
  ((owner: Caller) => Promise<unknown>)?,
][] = [
  [
    "a schedule",
    "cron",
    ({ owner }) =>
      owner.post("/api/v1/schedules", {
        id: "basil",
        cron: `0 18 * *${SPACES}mon`,
        request: { intent: "water" },
      }),
    async (owner) => (await owner.read("/api/v1/schedules")).schedules,
  ],
  [
    "presence",
    "until",
    ({ owner }) =>
      owner.fetch("/api/v1/presence", {
        method: "PUT",
        body: JSON.stringify({ state: "away", until: `2h${SPACES}x` }),
        headers: { "Content-Type": "application/json" },
      }),
    async (owner) => (await owner.read("/api/v1/presence")).presence,
  ],
  [
    "a link",
    "expires",
    ({ owner }) => owner.post(`/mess/${ref}/links`, { executor: "ann", expires: `1d${SPACES}x` }),
    async (owner) => (await owner.read(`/mess/${ref}/links`)).links,
  ],
  ["a list", "since", ({ owner }) => owner.fetch(`/mess?since=2031-01-01${SPACES}x`)],
  ["a list", "status", ({ owner }) => owner.fetch(`/mess?status=in${SPACES}progress`)],
];

describe("a call with a field that is too long", () => {
  it.each(CALLS)(
    "a call with a field that is too long for %s is refused at %s, and stores nothing",
    async (_what, path, call, left) => {
      const response = await readRefused(await call(home));

      expect(response).toMatchObject({ status: 400, path });
      expect(limitIn(response.hint)).toBeLessThan(1_000);
      expect((await left?.(home.owner)) ?? []).toEqual([]);
    },
  );

  it.each([
    ["schedule", LIMITS.cronChars],
    ["hours", LIMITS.hoursChars],
    ["quiet_hours", LIMITS.hoursChars],
    ["time_zone", LIMITS.timeZoneChars],
    ["lease", LIMITS.durationChars],
    ["kind", LIMITS.wordChars],
    ["name", LIMITS.nameChars],
  ])(
    "an executor with a field %s that is too long is refused, and not added",
    async (field, maxChars) => {
      const executor = { id: "newcomer", [field]: `1${SPACES}x` };

      const response = await readRefused(await home.owner.postBlocks({ config: { executor } }));

      expect(response).toMatchObject({ status: 400, path: `config.executor.${field}` });
      expect(limitIn(response.hint)).toBe(maxChars);
      const { executors } = await home.owner.read("/api/v1/executors");
      expect(executors.map(({ id }: { id: string }) => id)).not.toContain("newcomer");
    },
  );

  it.each([
    ["sms", `+39${SPACES}0612345678`],
    ["email", `ann${SPACES}@example.com`],
    ["webhook", `https://robot.example/${"x".repeat(LIMITS.urlChars)}`],
  ])(
    "an executor with an address of %s that is too long is refused with the limit",
    async (channel, address) => {
      const executor = { id: "newcomer", notify: { [channel]: address } };

      const response = await readRefused(await home.owner.postBlocks({ config: { executor } }));

      expect(response).toMatchObject({
        status: 400,
        path: `config.executor.notify.${channel}`,
      });
      expect(limitIn(response.hint)).toBeLessThanOrEqual(LIMITS.urlChars);
    },
  );

  it("a call with every field exactly at its limit is stored", async () => {
    const padText = (text: string, most: number) => text.padEnd(most, " ");
    const made = await home.agent.createThread("x".repeat(LIMITS.intentChars), {
      id: "k".repeat(LIMITS.nameChars),
      requires: ["r".repeat(LIMITS.nameChars)],
      needed_by: padText("2031-01-01T12:00:00Z", LIMITS.timeChars),
      validity: padText("1h", LIMITS.durationChars),
      context: [{ url: `https://a.example/${"x".repeat(LIMITS.linkChars - 18)}` }],
    });

    await expectOkJson(await home.agent.fetch(`/mess/${made}`));
  });
});
