import { getHouseholdStub, getThreadStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import { createFreshHousehold, type TestHousehold, countThreads } from "../support.ts";

const SEED = 20_260_504 + Number(env.RELIABILITY_SEED);
/** Milliseconds for one call. Since the machine may be busy, a slow call is tried twice. */
const MAX_CALL_MS = 1_000;
const TIMEOUT_MS = 60_000;

async function callInTime(
  call: () => Promise<Response>,
): Promise<{ status: number; answer: string }> {
  for (let tries = 1; ; tries++) {
    const begun = performance.now();
    const response = await call();
    const answer = new TextDecoder().decode(await response.arrayBuffer());
    const took = performance.now() - begun;
    if (took < MAX_CALL_MS) return { status: response.status, answer };
    if (tries === 2) throw new Error(`took ${took} ms`);
  }
}

let home: TestHousehold;
let ref: string;

beforeAll(async () => {
  home = await createFreshHousehold();
  ref = await home.agent.createThread("look at the basil", { requires: ["look"], id: "basil" });
});

const ODD_VALUES = [
  "\0",
  "\u202e",
  "\ufeff",
  "\ud800",
  "'",
  '"',
  "`",
  "<",
  "\\",
  "\n",
  "\r\n",
  "\t",
  "💧",
];

const caller = fc.constantFrom<"owner" | "agent" | "ann">("owner", "agent", "ann");

/** Parts of addresses that are difficult for routers and decoders. */
const segment = fc.oneof(
  fc.constantFrom("%", "%f", "%ff", "%00", "%2f", "%2e%2e", "..", ".", "", " ", "+", "*", "~"),
  fc.constantFrom("last", "all", "system", "__proto__", "constructor", "toString", "-1", "1e9"),
  fc.constantFrom(
    "basil",
    "2026-05-04-001",
    "2026-05-04-001-x",
    "9999-99-99-999",
    "x".repeat(3_000),
  ),
  fc.string({ maxLength: 40 }).map(encodeURIComponent.bind(null) as (text: string) => string),
  fc.string({
    maxLength: 20,
    unit: fc.constantFrom(...ODD_VALUES.filter((one) => one !== "\ud800")),
  }),
);

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...ROUTES), fc.array(segment, { minLength: 3, maxLength: 3 }))
    .map(([route, parts]) => {
      const left = [...parts];
      return route.path.replaceAll(/\{\w+\}/g, () => left.pop() ?? "x");
    }),
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
);

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom("limit", "cursor", "timeout", "status", "since", "q", "name", "token", "x"),
      fc.oneof(
        segment,
        fc.constantFrom("0", "-0", "1.0", "0x1", "NaN", "Infinity", "1".repeat(40)),
        fc.constantFrom("+", "a,", "-").map((sign) => `2031-01-02${sign.repeat(2_000)}x`),
      ),
    ),
    { maxLength: 4 },
  )
  // Removed, since no test waits.
  .map((pairs) => `?${[...pairs, ["timeout", "0"]].map((pair) => pair.join("=")).join("&")}`);

const headers = fc.dictionary(
  fc.constantFrom("Accept", "Range", "If-None-Match", "Idempotency-Key", "Content-Disposition"),
  fc.oneof(
    fc.constantFrom(
      "*/*",
      "application/yaml",
      "a/b;q=x",
      ";;;",
      "bytes=5-1",
      "bytes=0-",
      "\t",
      "{}",
      `bytes=${" ".repeat(3_000)}x`,
      `a/b;q=${"0".repeat(3_000)}`,
    ),
    fc.string({ maxLength: 30, unit: fc.constantFrom(...Array.from("abc/*;=,\"' -0123%")) }),
  ),
);

const types = fc.constantFrom(
  "application/json",
  "application/yaml",
  "text/plain; charset=utf-8",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "application/zip",
  "application/octet-stream",
  "",
  "/;=",
);

const SOUND: [type: string, body: string][] = [
  [
    "application/json",
    '{"MESS": [{"request": {"intent": "water", "id": "w", "requires": ["look"]}}]}',
  ],
  ["application/yaml", "MESS:\n  - status: {re: REF, code: claimed, eta: 5m}\n"],
  [
    "application/yaml",
    "MESS:\n  - response:\n      re: REF\n      content:\n        - image: {file: a.png}\n",
  ],
  [
    "application/yaml",
    "MESS:\n- reply: {re: last, answers: {q1: yes}, confirm: true}\n---\nMESS:\n- cancel: {re: [a, b]}\n",
  ],
  ["application/yaml", "MESS:\n  - config: {executor: {id: robo, capabilities: [vacuum-floor]}}\n"],
  [
    "application/yaml",
    "ref: 2026-01-20-007\nrequestor: a\nstatus: pending\nintent: x\n---\nfrom: a\nMESS: [{request: {intent: x}}]\n",
  ],
  ["application/json", '{"executor": "ann", "expires": "2h", "permissions": ["claim"]}'],
  ["application/json", '{"actor": "temp", "role": "agent"}'],
  [
    "multipart/form-data; boundary=x",
    [
      "--x",
      'Content-Disposition: form-data; name="message"',
      "",
      "MESS: [{response: {re: REF, content: [{image: {file: a.png}}]}}]",
      "--x",
      'Content-Disposition: form-data; name="f"; filename="a.png"',
      "Content-Type: image/png",
      "",
      "no picture",
      "--x--",
      "",
    ].join("\r\n"),
  ],
  ["application/zip", "PK\u0003\u0004 no archive"],
];

const MALFORMED_BODIES = [
  ...ODD_VALUES,
  "---\n",
  "...\n",
  "&a ",
  "*a",
  "!!js/function x",
  "%YAML 1.1\n",
  "<<: ",
  "__proto__: {}",
  "[[[[[[[[",
  "}".repeat(40),
  "? ",
  "|\n",
  "1e400",
  "-.inf",
  "data:image/png;base64,####",
  "\t",
  // Longer than any field: a run of white space, a long name, a long field.
  ...[" ", "\t", "\n"].flatMap((sign) => [sign.repeat(3_000), `1w${sign.repeat(3_000)}x`]),
  `"${"k".repeat(5_000)}": `,
  "a-".repeat(3_000),
  "x".repeat(5_000),
];

type Sent = [type: string, body: string | Uint8Array];

/** A valid body with parts removed, duplicated, or replaced by malicious ones. */
const mutated: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.constantFrom(...SOUND),
    fc.array(fc.tuple(fc.nat(400), fc.nat(40), fc.constantFrom("", ...MALFORMED_BODIES)), {
      maxLength: 4,
    }),
  )
  .map(([[type, sound], edits]) => [
    type,
    edits.reduce((body, [at, cut, put]) => {
      const start = at % (body.length + 1);
      return body.slice(0, start) + put + body.slice(start + cut);
    }, sound),
  ]);

const sent: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 5, arbitrary: mutated },
  { weight: 2, arbitrary: fc.tuple(types, mutated).map(([type, [, body]]): Sent => [type, body]) },
  { weight: 1, arbitrary: fc.tuple(types, fc.uint8Array()) },
);

/** The message tree has refusals of one line. */
function readError(target: string, answer: string): Record<string, unknown> | undefined {
  if (target.startsWith("/msg/"))
    return /^error: (?<code>[a-z_]+): (?<message>.+?)\. (?<hint>.+)\n$/.exec(answer)?.groups;
  return (JSON.parse(answer) as { error: Record<string, unknown> }).error;
}

describe("generated calls", { timeout: TIMEOUT_MS }, () => {
  it("calls with odd addresses, methods and headers get a quick response, and never a defect", async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "HEAD", "DELETE", "OPTIONS", "PUT"),
        path,
        query,
        headers,
        caller,
        async (method, target, search, extra, who) => {
          const { status } = await callInTime(() =>
            home[who].fetch(`${target}${search}`, { method, headers: extra }),
          );
          calls++;
          expect(status, `${method} ${target}${search}`).toBeLessThan(500);
        },
      ),
      { numRuns: 2_000, seed: SEED },
    );
    expect(calls).toBeGreaterThanOrEqual(2_000);
  });

  it("calls with odd bodies get a quick response, and a refused one stores nothing", async () => {
    const posts = ROUTES.filter(({ method, access }) => method === "post" && access !== "operator");
    const before = await countThreads(home.agent);
    const acked = new Set<string>();
    let refused = 0;
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        sent,
        caller,
        async (route, [type, content], who) => {
          const target = route.path.replace("{ref}", ref);
          const body = typeof content === "string" ? content.replaceAll("REF", ref) : content;
          const { status, answer } = await callInTime(() =>
            home[who].fetch(target, {
              method: "POST",
              body,
              headers: { "Content-Type": type },
            }),
          );
          calls++;
          expect(status, `${target} ${answer}`).toBeLessThan(500);
          if (status >= 400) {
            refused++;
            expect(readError(target, answer)).toMatchObject({
              code: expect.stringMatching(/^[a-z_]+$/),
              message: expect.stringMatching(/./),
              hint: expect.stringMatching(/./),
            });
          }
          if (target === "/mess")
            for (const one of answer.match(/"ref":"\d{4}-\d\d-\d\d-\d{3,}[^"/]*"/g) ?? [])
              acked.add(one);
        },
      ),
      { numRuns: 2_000, seed: SEED },
    );

    expect(calls).toBeGreaterThanOrEqual(2_000);
    expect(refused).toBeGreaterThan(1_000);
    expect(await countThreads(home.agent)).toBe(before + 1 + acked.size);
    expect(await listStoredBlobs()).toEqual(await listKnownBlobs());
  });
});

const listStoredBlobs = async (): Promise<string[]> =>
  (await env.BLOBS.list({ prefix: `${home.id}/` })).objects.map(({ key }) => key).toSorted();

/** The blobs that the household's threads refer to, or that are staged for a message. */
async function listKnownBlobs(): Promise<string[]> {
  const refs = await getHouseholdStub(env, home.id).threads.listRefs(null, 1_000);
  const keys = await Promise.all(
    refs.map((one) => getThreadStub(env, home.id, one).listBlobKeys()),
  );
  return keys.flat().toSorted();
}
