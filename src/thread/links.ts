/**
 * The links that were given to this thread, and whether one still opens it: revoked by `jti`, over in time, ended with
 * the thread (decision 65), or with the credential that made it. What is not listed here opens nothing. No row is ever
 * deleted, since its number is part of the short address.
 */
import { callbackTokenDead, refuseInactiveLink } from "../auth/links/inactive-link.ts";
import type { LinkPermission, Principal } from "../auth/principal.ts";
import { refuseUnauthenticated } from "../auth/unauthenticated.ts";
import type { MessError, Outcome } from "../mess/errors.ts";
import { refuse } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import { isFinal } from "../mess/status.ts";
import { ThreadDraft } from "../mess/thread/thread-change.ts";
import { getRelation } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { AccessEnd, ThreadLink, RequestedLink, NewThreadLink } from "../contracts/thread.ts";
import { AccessEnds, type LinkOrigin } from "./access-ends.ts";
import { buildSummary } from "./summary.ts";

const MAX_LINKS = 1_000;

/** Milliseconds in which an executor asks once for a new link. */
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
  readonly #sql: SqlStorage;
  readonly #ends: AccessEnds;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#ends = new AccessEnds(sql);
  }

  /**
   * Makes a link; the same call again gives the one that it had made, whenever that ends. Refused where the credential
   * or the membership has ended while the call was under way.
   */
  add(link: NewThreadLink, now: number): Outcome<ThreadLink> {
    const { executor, permissions, expires, call, made_with, membership } = link;
    if (this.#ends.isLinkEnded(link)) return refuseUnauthenticated();
    const [made] = call === undefined ? [] : this.#select("call = ?", call);
    if (made)
      return made.executor === executor && made.permissions.join() === permissions.join()
        ? ok(made)
        : refuse(
            "idempotency_conflict",
            "this Idempotency-Key was used for another link",
            "Use a new key for a new link.",
          );
    const { count } = this.#sql
      .exec<{ count: number }>("SELECT count(*) AS count FROM links")
      .one();
    if (count >= MAX_LINKS)
      return refuse(
        "too_many",
        `the thread has ${MAX_LINKS} links`,
        "Use one that was made before, or ask again in a new thread.",
      );
    const row = this.#sql
      .exec<LinkRow>(
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
      )
      .one();
    return ok(this.#linkOf(row));
  }

  findByNumber(number: number): ThreadLink | undefined {
    return this.#select("number = ?", number)[0];
  }

  /**
   * A link that the exchange made for the executor, good for all of these for at least another hour. One that was made
   * with a key is not sent to members, since it ends with that key.
   */
  findLasting(
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

  /** The links that the viewer may see and revoke: its own, or all for the requestor's side. */
  listVisible(state: ThreadState, viewer: Principal): ThreadLink[] {
    const { requestor } = getRelation(state, {
      actor: viewer.actor,
      owner: viewer.role === "owner",
    });
    return requestor ? this.#select("true") : this.#select("executor = ?", viewer.actor);
  }

  /** Revokes one link, all of an executor, or all that the viewer may, and returns them. */
  revoke(
    state: ThreadState,
    viewer: Principal,
    which: { jti?: string; executor?: string },
  ): Outcome<ThreadLink[]> {
    const { jti, executor } = which;
    const matching = this.listVisible(state, viewer).filter(
      (link) =>
        (jti === undefined || link.jti === jti) &&
        (executor === undefined || link.executor === executor),
    );
    if (matching.length === 0)
      return refuse("not_found", "no such link", "List the thread's links to see which there are.");
    for (const { number } of matching)
      this.#sql.exec("UPDATE links SET revoked = 1 WHERE number = ?", number);
    return ok(matching.map((link) => ({ ...link, revoked: true })));
  }

  /** The credential or the membership has ended; links that it made stay listed, and open nothing. */
  endAccess(end: AccessEnd, now: number): void {
    this.#ends.record(end, now);
  }

  /** The link ended with the credential that made it, or with its executor's membership. */
  isEnded(jti: string): boolean {
    return this.#rows("jti = ?", jti).some((row) => this.#ends.isLinkEnded(row));
  }

  /**
   * Why the bearer's link or credential does not open the thread; undefined while it does. One that ended with its
   * origin is refused like a link that never was.
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
      return finished ? callbackTokenDead(state.status).error : undefined;
    const [link] = this.#rows("jti = ?", scope.jti);
    if (link && this.#ends.isLinkEnded(link)) return refuseUnauthenticated().error;
    if (!link || link.revoked === 1 || link.executor !== actor)
      return refuseInactiveLink("revoked").error;
    if (link.expires * 1_000 <= now) return refuseInactiveLink("expired").error;
    return finished ? refuseInactiveLink("finished", state.status).error : undefined;
  }

  #select(where: string, ...values: (string | number)[]): ThreadLink[] {
    return this.#rows(where, ...values).map((row) => this.#linkOf(row));
  }

  #rows(where: string, ...values: (string | number)[]): LinkRow[] {
    return this.#sql
      .exec<LinkRow>(`SELECT * FROM links WHERE ${where} ORDER BY number`, ...values)
      .toArray();
  }

  #linkOf(row: LinkRow): ThreadLink {
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
 * Logs that the executor wants a new link, for whoever can make one. Asked again within the hour, nothing is logged.
 * Runs inside the caller's transaction; whether the link that the wish comes by may write at all is checked before.
 */
export function requestLink(
  log: ThreadLog,
  sql: SqlStorage,
  state: ThreadState,
  executor: string,
): Outcome<RequestedLink> {
  if (isFinal(state.status)) return fail(refuseInactiveLink("finished", state.status).error);
  const now = Date.now();
  const [last] = sql
    .exec<{ at: number }>("SELECT at FROM asked_for_links WHERE executor = ?", executor)
    .toArray();
  if (last && last.at + LINK_REQUEST_INTERVAL_MS > now)
    return ok({ fresh: false, summary: buildSummary(log) });
  sql.exec("INSERT OR REPLACE INTO asked_for_links (executor, at) VALUES (?, ?)", executor, now);
  const draft = new ThreadDraft(state, now);
  draft.log("link_requested", executor);
  log.commit(draft.change);
  return ok({ fresh: true, summary: buildSummary(log) });
}
