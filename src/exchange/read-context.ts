/** Reads the earlier threads to which the requests of open threads refer (decision 72). */
import type { Principal } from "../auth/principal.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import type { EarlierThread } from "../contracts/thread-views.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { readBlocks } from "../mess/wire/message.ts";
import { listReferences } from "../mess/wire/content/context-references.ts";
import { getHouseholdStub, getThreadStub } from "../stubs.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** The earlier threads to which the thread's request refers. */
export const readContext = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
): Promise<Outcome<EarlierThread[]>> =>
  withThread(env, principal, target, undefined, ({ stub }) => stub.readContext(principal));

/** True where the documents begin with a request that refers to other threads. */
export function hasReferences([first]: readonly MessageDocument[]): boolean {
  const [block] = readBlocks(first?.MESS ?? []);
  return block?.type === "request" && listReferences(block.body.context).length > 0;
}

/** Reads a thread that the caller does not see itself, through an open thread whose request refers to it. */
export async function readEarlierThread(
  env: ExchangeBindings,
  principal: Principal,
  ref: string,
): Promise<Outcome<EarlierThread>> {
  const { household } = principal;
  for (const referrer of await getHouseholdStub(env, household).threads.findReferrers(ref)) {
    const read = await getThreadStub(env, household, referrer).readContext(principal);
    const found = read.ok ? read.value.find((one) => one.ref === ref) : undefined;
    if (found) return ok(found);
  }
  return refuseThreadNotFound();
}
