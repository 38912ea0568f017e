/**
 * The ids of waits as tasks. An id holds everything that the wait needs, so that only its cancellation is stored; every
 * use checks that its caller is the member.
 */
import { isGroupId } from "../../../mess/groups/ids.ts";
import { MAX_LONG_WAIT_SECONDS } from "../../../mess/wait-limits.ts";

export interface WaitTask {
  group: string;
  member: string;
  /** Messages after it end the wait. */
  cursor: string;
  /** The caller gave no cursor: the messages then count as returned. */
  isContinued: boolean;
  /** Seconds since 1970. */
  began: number;
  until: number;
  /** Distinguishes a wait from one that was cancelled in the same second. */
  nonce: string;
}

const MAX_ID_CHARS = 128;

const WAIT_TASK_PATTERN =
  /^wait\.(\w+)\.([ao]_[0-9a-z]{8,32})\.(c?)([0-9]{1,12}-[0-9a-z]{1,7})\.([0-9a-f]{8})\.(\d{10})\.(\d{10})$/;

export const isWaitTaskId = (id: string): boolean => id.startsWith("wait.");

export const formatWaitTaskId = (task: WaitTask): string => {
  const { group, member, cursor, isContinued, began, until, nonce } = task;
  return `wait.${group}.${member}.${isContinued ? "c" : ""}${cursor}.${nonce}.${began}.${until}`;
};

/** Undefined for anything that is not the id of a wait. */
export function parseWaitTaskId(id: string): WaitTask | undefined {
  if (id.length > MAX_ID_CHARS) return undefined;
  const [, group = "", member = "", mark, cursor = "", nonce = "", began, until] =
    WAIT_TASK_PATTERN.exec(id) ?? [];
  const task = {
    group,
    member,
    cursor,
    isContinued: mark === "c",
    began: Number(began),
    until: Number(until),
    nonce,
  };
  const seconds = task.until - task.began;
  return isGroupId(group) && seconds >= 0 && seconds <= MAX_LONG_WAIT_SECONDS ? task : undefined;
}
