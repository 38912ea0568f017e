/** The words and limits of AI groups, which the tools, the routes and the objects share (decision 78). */

/** `ops` manage a group and talk to the user; an `agent` works silently. */
export const GROUP_ROLES = ["ops", "agent"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

/** Executors of the household that were sent a task in a group. They have no credential in it. */
export type GroupExecutorRole = "person" | "robot";

export const GROUP_MESSAGE_TYPES = [
  "message",
  "task",
  "report",
  "verification",
  "question",
] as const;
export type GroupMessageType = (typeof GROUP_MESSAGE_TYPES)[number];

export const IMPORTANCES = ["normal", "high", "urgent"] as const;
export type Importance = (typeof IMPORTANCES)[number];

/** The two pools of a household are groups with these literal ids. */
export const POOL_IDS = ["agents", "ops"] as const;
export type PoolId = (typeof POOL_IDS)[number];
export const isPoolId = (id: string): id is PoolId => (POOL_IDS as readonly string[]).includes(id);

export const POOL_STATUSES = ["available", "claimed", "working", "offline"] as const;
export type PoolStatus = (typeof POOL_STATUSES)[number];

/** A member without a sign of life for this long is offline. */
export const OFFLINE_AFTER_MS = 300_000;

export const GROUP_LIMITS = {
  topicChars: 200,
  nameChars: 64,
  descriptionChars: 2_000,
  /** The content of one message. */
  contentChars: 16_000,
  /** Text of a task that is given with a claim, and the summary of a handoff. */
  summaryChars: 16_000,
  terminalInfoChars: 500,
  toolUsageItems: 64,
  filesModifiedItems: 256,
  /** One tool or file in these lists. */
  itemChars: 512,
  capabilities: 32,
  membersPerGroup: 200,
  /** Memberships of the same member of the household in one group, so that one key cannot use them all up. */
  membershipsPerMember: 100,
  /** Open groups whose primary ops is the same member of the household, so that one key cannot use them all up. */
  openGroupsPerMember: 50,
  openGroupsPerHousehold: 200,
  poolEntriesPerMember: 100,
  /** Agents and ops in the pools of one household. */
  poolEntries: 500,
  messagesPerGroup: 200_000,
  /** Messages of one read or wait. */
  pageMessages: 50,
  defaultPageMessages: 10,
  /** Characters of content in one read or wait; a first message that is longer is returned whole. */
  pageChars: 16_000,
} as const;
