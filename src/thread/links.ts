/**
 * The links that were given to this thread, and whether one still opens it: revoked by `jti`, over in time, or ended
 * with the thread (decision 65). What is not listed here opens nothing. No row is ever deleted, since its number is
 * part of the short address.
 */
import { linkDead } from "../auth/links/inactive-link.ts";
import type { LinkPermission, Principal } from "../auth/principal.ts";
import type { MessError, Outcome } from "../mess/errors.ts";
import { refuse } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import { isFinal } from "../mess/status.ts";
import { Draft } from "../mess/thread/thread-change.ts";
import { relationOf } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { GivenLink, LinkWanted, NewLink } from "../contracts/thread.ts";
import { summaryOf } from "./summary.ts";

const MOST_LINKS = 1_000;

/** Milliseconds in which an executor asks once for a new link. */
const ASKED_EVERY = 3_600_000;

type Row = {
  number: number;
  jti: string;
  executor: string;
  permissions: string;
  made: number;
  expires: number;
  revoked: number;
  call: string | null;
};

const linkOf = ({ permissions, revoked, call: _call, ...row }: Row): GivenLink => ({
  ...row,
  permissions: JSON.parse(permissions) as LinkPermission[],
  revoked: revoked === 1,
});

export class Links {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Makes a link; the same call again gives the one that it had made, whenever that ends. */
  add({ executor, permissions, expires, call }: NewLink, now: number): Outcome<GivenLink> {
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
    if (count >= MOST_LINKS)
      return refuse(
        "too_many",
        `the thread has ${MOST_LINKS} links`,
        "Use one that was made before, or ask again in a new thread.",
      );
    const row = this.#sql
      .exec<Row>(
        `INSERT INTO links (jti, executor, permissions, made, expires, revoked, call)
         VALUES (?, ?, ?, ?, ?, 0, ?) RETURNING *`,
        crypto.randomUUID(),
        executor,
        JSON.stringify(permissions),
        Math.floor(now / 1_000),
        expires,
        call ?? null,
      )
      .one();
    return ok(linkOf(row));
  }

  byNumber(number: number): GivenLink | undefined {
    return this.#select("number = ?", number)[0];
  }

  /** A link of the executor that is good for all of these, for at least another hour. */
  lasting(
    executor: string,
    permissions: readonly LinkPermission[],
    now: number,
  ): GivenLink | undefined {
    return this.#select(
      "executor = ? AND permissions = ? AND revoked = 0 AND expires > ?",
      executor,
      JSON.stringify(permissions),
      Math.floor(now / 1_000) + 3_600,
    ).at(-1);
  }

  /** The links that the viewer may see and revoke: its own, or all for the requestor's side. */
  visible(state: ThreadState, viewer: Principal): GivenLink[] {
    const { requestor } = relationOf(state, {
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
  ): Outcome<GivenLink[]> {
    const { jti, executor } = which;
    const meant = this.visible(state, viewer).filter(
      (link) =>
        (jti === undefined || link.jti === jti) &&
        (executor === undefined || link.executor === executor),
    );
    if (meant.length === 0)
      return refuse("not_found", "no such link", "List the thread's links to see which there are.");
    for (const { number } of meant)
      this.#sql.exec("UPDATE links SET revoked = 1 WHERE number = ?", number);
    return ok(meant.map((link) => ({ ...link, revoked: true })));
  }

  /** Why the bearer's link opens the thread no more; undefined while it does, and for those who need none. */
  fault(
    { actor, scope }: Pick<Principal, "actor" | "scope">,
    state: ThreadState,
    now: number,
  ): MessError | undefined {
    if (scope?.jti === undefined) return undefined;
    const [link] = this.#select("jti = ?", scope.jti);
    if (!link || link.revoked || link.executor !== actor) return linkDead("revoked").error;
    if (link.expires * 1_000 <= now) return linkDead("expired").error;
    return isFinal(state.status) ? linkDead("finished", state.status).error : undefined;
  }

  #select(where: string, ...values: (string | number)[]): GivenLink[] {
    return this.#sql
      .exec<Row>(`SELECT * FROM links WHERE ${where} ORDER BY number`, ...values)
      .toArray()
      .map(linkOf);
  }
}

/**
 * Logs that the executor wants a new link, for whoever can make one. Asked again within the hour, nothing is logged.
 * Runs inside the caller's transaction.
 */
export function askForLink(
  log: ThreadLog,
  sql: SqlStorage,
  state: ThreadState,
  executor: string,
): Outcome<LinkWanted> {
  if (isFinal(state.status)) return fail(linkDead("finished", state.status).error);
  const now = Date.now();
  const [last] = sql
    .exec<{ at: number }>("SELECT at FROM asked_for_links WHERE executor = ?", executor)
    .toArray();
  if (last && last.at + ASKED_EVERY > now) return ok({ fresh: false, summary: summaryOf(log) });
  sql.exec("INSERT OR REPLACE INTO asked_for_links (executor, at) VALUES (?, ?)", executor, now);
  const draft = new Draft(state, now);
  draft.log("link_requested", executor);
  log.commit(draft.change);
  return ok({ fresh: true, summary: summaryOf(log) });
}
