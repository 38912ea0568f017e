/**
 * The links of this thread, and whether one still opens it. A link ends when it is revoked or expired, with the thread
 * (decision 65), or with the credential that made it. Unlisted links open nothing. Rows are never deleted, because their
 * number is part of the short URL.
 */
import { refuseDeadCallbackToken, refuseInactiveLink } from "../auth/links/inactive-link.ts";
import { getDropReason } from "../delivery/drop-reason.ts";
import type { LinkPermission, Principal } from "../auth/principal.ts";
import { refuseUnauthenticated } from "../auth/unauthenticated.ts";
import type { AuditSource } from "../contracts/audit.ts";
import type { MessError, Outcome } from "../mess/errors.ts";
import { refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { fail, ok } from "../mess/result.ts";
import { writeTime } from "../mess/times.ts";
import { isFinal } from "../mess/status.ts";
import { ThreadDraft } from "../mess/thread/thread-change.ts";
import { getRelation } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { AccessEnd, ThreadLink, RequestedLink, NewThreadLink } from "../contracts/thread.ts";
import { AccessEnds, type LinkOrigin } from "./access-ends.ts";
import type { ThreadTables } from "./migrations.ts";
import { buildSummary } from "./summary/summary.ts";

const MAX_LINKS = 1_000;
/** Ids of links in one entry of the audit trail. */
const MAX_REPORTED_LINKS = 20;

/** An executor can ask for a new link once in this time. */
const LINK_REQUEST_INTERVAL_MS = 3_600_000;

type LinkRow = LinkOrigin & {
  number: number;
  jti: string;
  permissions: string;
  made: number;
  expires: number;
  revoked: number;
  call: string | null;
};

export class ThreadLinks {
  readonly #tables: ThreadTables;
  readonly #ends: AccessEnds;
  readonly #log: ThreadLog;

  constructor(tables: ThreadTables, log: ThreadLog) {
    this.#tables = tables;
    this.#log = log;
    this.#ends = new AccessEnds(tables);
  }

  /**
   * Makes a link; a repeated call returns the first one. Refused where the credential or the membership ended while the
   * call was running.
   */
  add(link: NewThreadLink, now: number): Outcome<ThreadLink> {
    const { executor, permissions, expires, call, call_key, made_with, membership, by } = link;
    if (this.#ends.isLinkEnded(link)) return refuseUnauthenticated();
    const conflict = this.#log.callKeys.check(call_key, "link");
    if (conflict) return conflict;
    const [made] = call === undefined ? [] : this.#select("call = ?", call);
    if (made)
      return made.executor === executor && made.permissions.join() === permissions.join()
        ? ok(made)
        : refuse(
            "idempotency_conflict",
            "this Idempotency-Key was used for another link",
            "Use a new key for a new link.",
          );
    if (this.#count() >= MAX_LINKS)
      return refuse(
        "too_many",
        `the thread has ${MAX_LINKS} links`,
        "Use an existing link, or create a new request.",
      );
    this.#log.callKeys.save(call_key, "link");
    const [row] = this.#tables.insert<LinkRow>(
      "links",
      `INSERT INTO links (jti, executor, permissions, made, expires, revoked, call, made_with, membership)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?) RETURNING *`,
      crypto.randomUUID(),
      executor,
      JSON.stringify(permissions),
      Math.floor(now / 1_000),
      expires,
      call ?? null,
      made_with,
      membership,
    );
    const added = this.#toLink(row!);
    if (by)
      this.#report("link_created", by, [added], {
        executor,
        permissions: [...permissions],
        expires: writeTime(expires * 1_000, "UTC"),
      });
    return ok(added);
  }

  /** Queues the audit entry of the change; the id of a link makes it one entry. */
  #report(
    action: "link_created" | "link_revoked",
    source: AuditSource,
    links: readonly ThreadLink[],
    detail: JsonMap,
  ): void {
    const [first] = links;
    if (first)
      this.#log.effects.addReport({
        action,
        source,
        target: this.#log.getState().ref,
        detail: { ...detail, links: links.slice(0, MAX_REPORTED_LINKS).map(({ jti }) => jti) },
        once: `${action} ${first.jti}`,
      });
  }

  #count(): number {
    const counts = this.#tables.run<{ count: number }>(
      "links",
      "SELECT count(*) AS count FROM links",
    );
    return counts[0]?.count ?? 0;
  }

  findByNumber(number: number): ThreadLink | undefined {
    return this.#select("number = ?", number)[0];
  }

  /**
   * A link made by the exchange with all these permissions that is valid for at least another hour. Links made with a key
   * are not sent to members, because they end with that key.
   */
  findReusable(
    { executor, membership }: Pick<NewThreadLink, "executor" | "membership">,
    permissions: readonly LinkPermission[],
    now: number,
  ): ThreadLink | undefined {
    return this.#select(
      `executor = ? AND membership = ? AND made_with = 'exchange' AND permissions = ?
         AND revoked = 0 AND expires > ?`,
      executor,
      membership,
      JSON.stringify(permissions),
      Math.floor(now / 1_000) + 3_600,
    ).at(-1);
  }

  /** Links that the viewer may see and revoke: its own, or all of them for the requestor and owners. */
  listVisible(state: ThreadState, viewer: Principal): ThreadLink[] {
    const { requestor } = getRelation(state, {
      actor: viewer.actor,
      owner: viewer.role === "owner",
    });
    return requestor ? this.#select("true") : this.#select("executor = ?", viewer.actor);
  }

  /** Revokes one link, all links of an executor, or all that the viewer may revoke, and returns them. */
  revoke(
    state: ThreadState,
    viewer: Principal,
    links: { jti?: string; executor?: string },
    by?: AuditSource,
  ): Outcome<ThreadLink[]> {
    const { jti, executor } = links;
    const matching = this.listVisible(state, viewer).filter(
      (link) =>
        (jti === undefined || link.jti === jti) &&
        (executor === undefined || link.executor === executor),
    );
    if (matching.length === 0)
      return refuse("not_found", "link not found", "List the thread's links to see the valid ids.");
    const active = matching.filter(({ revoked }) => !revoked);
    for (const { number } of matching)
      this.#tables.run("links", "UPDATE links SET revoked = 1 WHERE number = ?", number);
    if (by) this.#report("link_revoked", by, active, { count: active.length });
    return ok(matching.map((link) => ({ ...link, revoked: true })));
  }

  /** Records that a credential or membership ended; its links stay listed, but open nothing. */
  endAccess(end: AccessEnd, now: number): void {
    this.#ends.record(end, now);
  }

  /** Whether the link ended with its credential or with its executor's membership. */
  isEnded(jti: string): boolean {
    return this.#selectRows("jti = ?", jti).some((row) => this.#ends.isLinkEnded(row));
  }

  /** Whether the link exists and was not revoked; it may have expired. */
  isRenewable(jti: string): boolean {
    return this.#selectRows("jti = ?", jti).some(({ revoked }) => revoked === 0);
  }

  /**
   * Why the bearer's link or credential does not open the thread; undefined while it does. One that ended with its origin
   * is refused like an unknown link.
   */
  checkBearer(
    { actor, scope, credential }: Pick<Principal, "actor" | "scope" | "credential">,
    state: ThreadState,
    now: number,
  ): MessError | undefined {
    if (credential !== undefined && this.#ends.isCredentialEnded(credential))
      return refuseUnauthenticated().error;
    if (scope === undefined) return undefined;
    const finished = isFinal(state.status);
    if (scope.jti === undefined)
      return finished ? refuseDeadCallbackToken(state.status).error : undefined;
    const [link] = this.#selectRows("jti = ?", scope.jti);
    if (link && this.#ends.isLinkEnded(link)) return refuseUnauthenticated().error;
    if (!link || link.revoked === 1 || link.executor !== actor)
      return refuseInactiveLink("revoked").error;
    if (link.expires * 1_000 <= now) return refuseInactiveLink("expired").error;
    // The executor of a completed thread may still add to its work and read the requestor's review.
    if (!finished || (state.status === "completed" && state.executor === actor)) return undefined;
    return refuseInactiveLink("finished", state.status, this.#findEndNote(state.status)).error;
  }

  /** The reason that was given when the thread ended; undefined where there was none. */
  #findEndNote(status: string): string | undefined {
    return this.#log.readHistory().findLast(({ action }) => action === status)?.note;
  }

  #select(where: string, ...values: (string | number)[]): ThreadLink[] {
    return this.#selectRows(where, ...values).map((row) => this.#toLink(row));
  }

  #selectRows(where: string, ...values: (string | number)[]): LinkRow[] {
    const query = `SELECT * FROM links WHERE ${where} ORDER BY number`;
    return this.#tables.run<LinkRow>("links", query, ...values);
  }

  #toLink(row: LinkRow): ThreadLink {
    const { number, jti, executor, permissions, made, expires, revoked } = row;
    return {
      number,
      jti,
      executor,
      permissions: JSON.parse(permissions) as LinkPermission[],
      made,
      expires,
      revoked: revoked === 1 || this.#ends.isLinkEnded(row),
    };
  }
}

/**
 * Logs that the executor wants a new link, at most once an hour, and sends one if possible. Runs inside the caller's
 * transaction; the caller has checked whether the expired link may write this.
 * @param mayRenew the link only expired, so that a new one gives nothing back that was revoked
 */
export function requestLink(
  log: ThreadLog,
  tables: ThreadTables,
  state: ThreadState,
  executor: string,
  mayRenew: boolean,
): Outcome<RequestedLink> {
  if (isFinal(state.status)) return fail(refuseInactiveLink("finished", state.status).error);
  const now = Date.now();
  const [last] = tables.run<{ at: number }>(
    "asked_for_links",
    "SELECT at FROM asked_for_links WHERE executor = ?",
    executor,
  );
  if (last && last.at + LINK_REQUEST_INTERVAL_MS > now)
    return ok({ fresh: false, sent: false, summary: buildSummary(log) });
  tables.insert(
    "asked_for_links",
    "INSERT OR REPLACE INTO asked_for_links (executor, at) VALUES (?, ?)",
    executor,
    now,
  );
  const draft = new ThreadDraft(log.getState(), now);
  draft.log("link_requested", executor);
  const sent = mayRenew && canNotify(log, state, executor);
  if (sent) draft.notify("news", [executor], "here is your new link", { about: "new_link" });
  log.commit(draft.change);
  return ok({ fresh: true, sent, summary: buildSummary(log) });
}

/** Whether the member was notified of this thread by a channel before, and a link is still relevant for it. */
const canNotify = ({ deliveries }: ThreadLog, state: ThreadState, executor: string): boolean =>
  deliveries.getLastChannel(executor) !== null &&
  getDropReason({ kind: "news", executor, event: null }, state) === undefined;
