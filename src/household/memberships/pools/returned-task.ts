/** Claims can name a task that was given back in place of a new text. */
import type { Principal } from "../../../auth/principal.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { getGroupStub } from "../../../stubs.ts";
import type { Stores } from "../../stores.ts";

const TASK_ID_PATTERN = /^msg_[0-9a-z]{8,32}$/;
export const isTaskId = (task: string): boolean => TASK_ID_PATTERN.test(task);

/** Refuses the id of a task that is not there to be assigned again. */
export async function checkReturnedTask(
  env: Pick<Env, "GROUPS">,
  principal: Principal,
  ops: { group: string; id: string },
  task: string,
): Promise<Outcome<true>> {
  const group = getGroupStub(env, principal.household, ops.group);
  const status = await group.status({ principal, as: ops.id });
  if (!status.ok) return status;
  const returned = status.value.tasks.filter(
    (one) => (one.status === "returned" || one.silent) && one.assigned_by === ops.id,
  );
  return returned.some(({ id }) => id === task)
    ? ok(true)
    : refuseNotReturned(returned.map(({ id }) => id));
}

/** Two claims at once must not give one task to two agents. Call it in the transaction that claims. */
export function takeReturnedTask(
  { idempotentCalls }: Stores,
  group: string,
  task: string,
): Outcome<true> {
  // Keys of callers contain no spaces, so that no caller can use this one.
  const key = `group task ${task}`;
  if (idempotentCalls.get(group, key)) return refuseNotReturned([]);
  idempotentCalls.add(group, key, []);
  return ok(true);
}

const refuseNotReturned = (valid: readonly string[]) =>
  refuse(
    "not_found",
    "task: no task of yours with this id was given back in the group, or has a silent agent",
    "Give the text of the task, or the id of a task that status lists as returned or silent.",
    { valid },
  );
