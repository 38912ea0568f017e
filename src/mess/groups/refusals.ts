/** Refusals of AI groups that several places share. Unknown and foreign ids get the same one. */
import { refuse } from "../errors.ts";
import { GROUP_LIMITS } from "./vocabulary.ts";

export const refuseGroupNotFound = () =>
  refuse(
    "not_found",
    "group_id: you are in no such group",
    "Call status without a group to list your groups, rejoin with your name, or enter a pool with pool_register.",
  );

/** The routes have another name for this parameter of the tools. */
const nameForHttp = (field: string): string =>
  field === "my_id" ? "my_id (over HTTP: as)" : field;

export const refuseUnknownMember = (field: string) =>
  refuse(
    "unknown_member",
    `${nameForHttp(field)}: not one of your ids in this group`,
    "Call rejoin with your name to get your id. An id belongs to the key that joined with it.",
  );

export const refuseUnknownReceiver = (valid: readonly string[]) =>
  refuse("unknown_member", "to_id: no such member in this group", "Send it to one of these.", {
    valid,
  });

export const refuseSeveralMemberships = (
  field: "group_id" | "target_group_id" | "my_id",
  valid: readonly string[],
) =>
  refuse(
    "several_memberships",
    `${nameForHttp(field)} is missing, and your key has several memberships`,
    `Give ${nameForHttp(field)}.`,
    { valid },
  );

export const refuseGroupClosed = () =>
  refuse(
    "group_closed",
    "the group is closed",
    "Its messages can still be read. Create a new group with initiate.",
  );

export const refuseNotOps = () =>
  refuse("wrong_role", "only ops may do this", "Ask the ops of your group to do it.");

export const refuseGroupFull = () =>
  refuse(
    "group_full",
    `the group has ${GROUP_LIMITS.messagesPerGroup} messages`,
    "Create a new group with initiate; this one can still be read.",
  );

export const refuseWaitCursor = () =>
  refuse(
    "bad_parameter",
    "cursor: not a position of yours in this group",
    "Give the cursor that your last wait in this group returned, or leave it out.",
    { path: "cursor" },
  );
