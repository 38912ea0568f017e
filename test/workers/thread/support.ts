/** A thread's object in a separate household. */
import { getThreadStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import type { Principal } from "../../../src/auth/principal.ts";
import { toCanonicalJson, type JsonMap } from "../../../src/mess/json.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import type { Candidate } from "../../../src/mess/routing/routing.ts";
import type { AppendInput, CreateInput, Receipt } from "../../../src/contracts/thread.ts";

export const REF = "2026-05-04-001-water-plants";

export const createName = (): string => `h-${crypto.randomUUID().slice(0, 13)}`;

export function buildMessage(mess: JsonMap | JsonMap[]) {
  const outcome = parseMessages(JSON.stringify({ MESS: Array.isArray(mess) ? mess : [mess] }), {
    target: REF,
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value[0]!;
}

export const CANDIDATES: Candidate[] = [
  { id: "ann", kind: "person", lease: 7_200 },
  { id: "bot", kind: "machine", lease: 900 },
];

/** The data that the household passes on when a request is opened. */
export function buildCreation(
  household: string,
  request: JsonMap = {},
  change: Partial<CreateInput> = {},
): CreateInput {
  const asked = buildMessage({
    request: { intent: "water the plants", id: "water-plants", ...request },
  });
  return {
    household,
    ref: REF,
    zone: "Europe/Berlin",
    requestor: "claude",
    channel: "http",
    message: asked,
    blobs: [],
    digest: toCanonicalJson(asked),
    route: {
      by: "capability",
      candidates: CANDIDATES.map((candidate) => ({
        ...candidate,
        reasons: ["has water"],
        rung: 1,
      })),
      passed_over: [{ id: "tom", reason: "on holiday" }],
      requires: ["water"],
      warnings: [],
    },
    ...change,
  };
}

export const buildPrincipal = (household: string, actor: string): Principal => ({
  household,
  actor,
  role: actor === "mum" ? "owner" : actor === "claude" ? "agent" : "executor",
});

/** A created thread, with functions that call it. */
export async function createFreshThread(request: JsonMap = {}, change: Partial<CreateInput> = {}) {
  const household = createName();
  const stub = getThreadStub(env, household, REF);
  const created = await stub.create(buildCreation(household, request, change));
  if (!created.ok) throw new Error(created.error.message);
  const append = (actor: string, mess: JsonMap | JsonMap[], input: Partial<AppendInput> = {}) =>
    stub.append({
      actor: buildPrincipal(household, actor),
      channel: "http",
      message: buildMessage(mess),
      blobs: [],
      ...input,
    });
  const read = async (actor = "claude", after?: number) => {
    const view = await stub.readThread(buildPrincipal(household, actor), after);
    if (!view.ok) throw new Error(view.error.message);
    return view.value;
  };
  return { household, stub, receipt: created.value satisfies Receipt, append, read };
}
