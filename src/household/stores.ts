/** All stores of a household, created over one SQL handle. */
import { DeletedThreads } from "./threads/deleted-threads.ts";
import { ApprovalChats } from "./contacts/approval-chats.ts";
import { Audit } from "./audit/audit.ts";
import { CircuitBreakers } from "./contacts/circuit-breakers.ts";
import { ThreadCatalog } from "./threads/thread-catalog.ts";
import { IdempotentCalls, ClientIds } from "./threads/client-ids.ts";
import { Observations } from "./threads/coalesce.ts";
import { ContextReferences } from "./threads/context-references.ts";
import { Credentials } from "./identity/credentials.ts";
import { Dependencies } from "./threads/dependencies.ts";
import { JobTable } from "../object/job-table.ts";
import type { HouseholdJobs, HouseholdJobTable } from "./jobs/job-kinds.ts";
import { ExpectedThreads } from "./contacts/expected-threads.ts";
import { Events } from "./events/events.ts";
import { Grants } from "./identity/grants.ts";
import { GroupMemberStore } from "./memberships/group-member-store.ts";
import { GroupCatalog } from "./memberships/group-catalog.ts";
import { PoolStore } from "./memberships/pools/pool-store.ts";
import { McpSessions } from "./mcp-sessions/mcp-sessions.ts";
import { Members } from "./identity/members.ts";
import { Passkeys } from "./identity/passkeys.ts";
import { People } from "./identity/people.ts";
import { HeldNotices } from "./contacts/held-notices.ts";
import { PresenceTable } from "./contacts/presence.ts";
import { StoredFiles } from "./quotas/stored-files.ts";
import type { QuotaLimits } from "../mess/quotas.ts";
import { Reservations } from "./reservations/reservations.ts";
import { Revocations } from "./identity/link-revocations.ts";
import { RoutingSettings } from "./settings/routing-config.ts";
import { Schedules } from "./schedules/schedules.ts";
import { Secrets } from "./secrets/secrets.ts";
import { SentMessages } from "./contacts/sent-messages.ts";
import { Serials } from "./threads/serials.ts";
import { GuidanceTable } from "./message-sources/guidance-table.ts";
import { NoticeTable } from "./message-sources/notice-table.ts";
import { MessageSourceTable } from "./message-sources/source-table.ts";
import { Settings } from "./settings/settings.ts";
import { PushSubscriptions } from "./contacts/push-subscriptions.ts";

export interface Stores {
  audit: Audit;
  settings: Settings;
  members: Members;
  credentials: Credentials;
  people: People;
  passkeys: Passkeys;
  grants: Grants;
  routing: RoutingSettings;
  serials: Serials;
  clientIds: ClientIds;
  idempotentCalls: IdempotentCalls;
  dependencies: Dependencies;
  contextReferences: ContextReferences;
  threadCatalog: ThreadCatalog;
  expectedThreads: ExpectedThreads;
  deletedThreads: DeletedThreads;
  events: Events;
  secrets: Secrets;
  circuitBreakers: CircuitBreakers;
  sentMessages: SentMessages;
  subscriptions: PushSubscriptions;
  approvalChats: ApprovalChats;
  presence: PresenceTable;
  heldNotices: HeldNotices;
  revocations: Revocations;
  schedules: Schedules;
  jobs: HouseholdJobTable;
  observations: Observations;
  storedFiles: StoredFiles;
  mcpSessions: McpSessions;
  reservations: Reservations;
  groups: GroupCatalog;
  groupMembers: GroupMemberStore;
  pool: PoolStore;
  messageSources: MessageSourceTable;
  messageGuidance: GuidanceTable;
  messageNotices: NoticeTable;
  /** The limits that the deployment has changed. */
  deploymentLimits: Partial<QuotaLimits>;
}

export function createStores(sql: SqlStorage, deploymentLimits: Partial<QuotaLimits> = {}): Stores {
  const settings = new Settings(sql);
  const jobs: HouseholdJobTable = new JobTable<HouseholdJobs>(sql);
  return {
    audit: new Audit(sql),
    settings,
    members: new Members(sql),
    credentials: new Credentials(sql),
    people: new People(sql),
    passkeys: new Passkeys(sql),
    grants: new Grants(sql),
    routing: new RoutingSettings(sql, settings),
    serials: new Serials(sql),
    clientIds: new ClientIds(sql),
    idempotentCalls: new IdempotentCalls(sql),
    dependencies: new Dependencies(sql, jobs),
    contextReferences: new ContextReferences(sql),
    threadCatalog: new ThreadCatalog(sql),
    expectedThreads: new ExpectedThreads(sql),
    deletedThreads: new DeletedThreads(sql),
    events: new Events(sql),
    secrets: new Secrets(sql),
    circuitBreakers: new CircuitBreakers(sql),
    sentMessages: new SentMessages(sql),
    subscriptions: new PushSubscriptions(sql),
    approvalChats: new ApprovalChats(sql),
    presence: new PresenceTable(sql),
    heldNotices: new HeldNotices(sql),
    revocations: new Revocations(sql, jobs),
    schedules: new Schedules(sql),
    jobs,
    observations: new Observations(sql),
    storedFiles: new StoredFiles(sql),
    mcpSessions: new McpSessions(sql),
    reservations: new Reservations(sql),
    groups: new GroupCatalog(sql),
    groupMembers: new GroupMemberStore(sql),
    pool: new PoolStore(sql),
    messageSources: new MessageSourceTable(sql),
    messageGuidance: new GuidanceTable(sql),
    messageNotices: new NoticeTable(sql),
    deploymentLimits,
  };
}

/** Call this when a transaction is rolled back. */
export function clearCaches({ members, settings, serials, threadCatalog }: Stores): void {
  members.clearCache();
  settings.clearCache();
  serials.clearCache();
  threadCatalog.counts.clearCache();
}
