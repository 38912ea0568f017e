/** All deliberate defects. */
import { ACCESS_MUTANTS } from "./access-mutants.ts";
import { AUDIT_MUTANTS } from "./audit-mutants.ts";
import { CHANNEL_MUTANTS } from "./channel-mutants.ts";
import { DELETION_MUTANTS } from "./deletion-mutants.ts";
import { DEPLOYMENT_MUTANTS } from "./deployment-mutants.ts";
import { ESCALATION_MUTANTS } from "./escalation-mutants.ts";
import { GROUP_EXECUTOR_MUTANTS } from "./groups/group-executor-mutants.ts";
import { GROUP_MUTANTS } from "./groups/group-mutants.ts";
import { GROUP_OBJECT_MUTANTS } from "./groups/group-object-mutants.ts";
import { GROUP_REQUEST_MUTANTS } from "./groups/group-request-mutants.ts";
import { GROUP_TOOL_MUTANTS } from "./groups/group-tool-mutants.ts";
import { HOSTILE_INPUT_MUTANTS } from "./hostile-input-mutants.ts";
import { ISOLATION_MUTANTS } from "./isolation-mutants.ts";
import { MCP_MUTANTS } from "./mcp-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { MEMBERSHIP_MUTANTS } from "./groups/membership-mutants.ts";
import { PRIVACY_MUTANTS } from "./privacy-mutants.ts";
import { QUOTA_MUTANTS } from "./quota-mutants.ts";
import { REFERENCE_MUTANTS } from "./reference-mutants.ts";
import { RESERVATION_MUTANTS } from "./reservation-mutants.ts";
import { ROTATION_MUTANTS } from "./rotation-mutants.ts";
import { ROBOT_MUTANTS } from "./robot-mutants.ts";
import { SECRET_MUTANTS } from "./secret-mutants.ts";
import { MESSAGE_TOOL_MUTANTS } from "./sources/message-tool-mutants.ts";
import { OUTBOX_MUTANTS } from "./sources/outbox-mutants.ts";
import { WATCHER_MUTANTS } from "./sources/watcher-mutants.ts";
import { MAILBOX_MUTANTS } from "./sources/mailbox-mutants.ts";
import { QUIET_SOURCE_MUTANTS } from "./sources/quiet-source-mutants.ts";
import { MESSAGE_TREE_MUTANTS } from "./sources/message-tree-mutants.ts";
import { SOURCE_ACCESS_MUTANTS } from "./sources/source-access-mutants.ts";
import { SOURCE_MESSAGE_MUTANTS } from "./sources/source-message-mutants.ts";
import { CHAT_SOURCE_MUTANTS } from "./sources/chat-source-mutants.ts";
import { SOURCE_KIND_MUTANTS } from "./sources/source-kind-mutants.ts";
import { SUSPENSION_MUTANTS } from "./suspension-mutants.ts";
import { ECOSYSTEM_MUTANTS } from "./ecosystem-mutants.ts";
import { THREAD_MUTANTS } from "./thread-mutants.ts";

export const ALL_MUTANTS: readonly Mutant[] = [
  ...SOURCE_KIND_MUTANTS,
  ...MAILBOX_MUTANTS,
  ...QUIET_SOURCE_MUTANTS,
  ...CHAT_SOURCE_MUTANTS,
  ...THREAD_MUTANTS,
  ...ESCALATION_MUTANTS,
  ...CHANNEL_MUTANTS,
  ...ROBOT_MUTANTS,
  ...HOSTILE_INPUT_MUTANTS,
  ...SECRET_MUTANTS,
  ...PRIVACY_MUTANTS,
  ...ACCESS_MUTANTS,
  ...REFERENCE_MUTANTS,
  ...AUDIT_MUTANTS,
  ...QUOTA_MUTANTS,
  ...ISOLATION_MUTANTS,
  ...MESSAGE_TREE_MUTANTS,
  ...SOURCE_ACCESS_MUTANTS,
  ...ROTATION_MUTANTS,
  ...DELETION_MUTANTS,
  ...SUSPENSION_MUTANTS,
  ...DEPLOYMENT_MUTANTS,
  ...ECOSYSTEM_MUTANTS,
  ...MCP_MUTANTS,
  ...GROUP_OBJECT_MUTANTS,
  ...RESERVATION_MUTANTS,
  ...GROUP_MUTANTS,
  ...GROUP_REQUEST_MUTANTS,
  ...GROUP_EXECUTOR_MUTANTS,
  ...MEMBERSHIP_MUTANTS,
  ...GROUP_TOOL_MUTANTS,
  ...WATCHER_MUTANTS,
  ...MESSAGE_TOOL_MUTANTS,
  ...OUTBOX_MUTANTS,
  ...SOURCE_MESSAGE_MUTANTS,
];
