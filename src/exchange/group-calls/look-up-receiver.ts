/** Finds the person or robot of the household to whom a message in an AI group is sent. */
import type { Principal } from "../../auth/principal.ts";
import type { ReceiverLookup } from "../../contracts/groups.ts";
import { EXCHANGE_SENDER, isMemberId } from "../../mess/groups/ids.ts";
import type { Executor } from "../../mess/routing/routing.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Executors that a refusal lists. */
const MAX_OTHERS = 20;

/** Undefined for the exchange and the id of a member, for which the household is not called. */
export async function lookUpReceiver(
  env: ExchangeBindings,
  principal: Principal,
  to: string,
): Promise<ReceiverLookup | undefined> {
  if (isMemberId(to) || to === EXCHANGE_SENDER) return undefined;
  const { threads } = getHouseholdStub(env, principal.household);
  const candidate = await threads.findCandidate(to);
  if (!candidate.ok) return { others: (candidate.error.valid ?? []).slice(0, MAX_OTHERS) };
  const query = { type: "executors" as const, filter: { executor: to } };
  const answer: unknown = await threads.answerQuery(query, principal);
  const { name = to } = (answer as { executors: Pick<Executor, "name">[] }).executors[0] ?? {};
  const { kind } = candidate.value;
  return { executor: { id: to, name, role: kind === "person" ? "person" : "robot" } };
}
