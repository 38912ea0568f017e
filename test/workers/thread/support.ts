/** A thread's object in a household of its own. */
import { threadStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import type { Principal } from "../../../src/auth/principal.ts";
import { toCanonicalJson, type JsonMap } from "../../../src/mess/json.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import type { Candidate } from "../../../src/mess/routing/routing.ts";
import type { AppendInput, CreateInput, Receipt } from "../../../src/contracts/thread.ts";

export const REF = "2026-05-04-001-water-plants";

export const freshName = (): string => `h-${crypto.randomUUID().slice(0, 13)}`;

export function message(mess: JsonMap | JsonMap[]) {
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

/** What the household hands over when a request is opened. */
export function creation(
  household: string,
  request: JsonMap = {},
  change: Partial<CreateInput> = {},
): CreateInput {
  const asked = message({
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

export const principal = (household: string, actor: string): Principal => ({
  household,
  actor,
  role: actor === "mum" ? "owner" : actor === "claude" ? "agent" : "executor",
});

/** A thread that has been asked for, and ways to speak to it. */
export async function freshThread(request: JsonMap = {}, change: Partial<CreateInput> = {}) {
  const household = freshName();
  const stub = threadStub(env, household, REF);
  const created = await stub.create(creation(household, request, change));
  if (!created.ok) throw new Error(created.error.message);
  const say = (actor: string, mess: JsonMap | JsonMap[], input: Partial<AppendInput> = {}) =>
    stub.append({
      actor: principal(household, actor),
      channel: "http",
      message: message(mess),
      blobs: [],
      ...input,
    });
  const read = async (actor = "claude", after?: number) => {
    const view = await stub.readThread(principal(household, actor), after);
    if (!view.ok) throw new Error(view.error.message);
    return view.value;
  };
  return { household, stub, receipt: created.value satisfies Receipt, say, read };
}
