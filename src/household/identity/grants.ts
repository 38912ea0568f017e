/**
 * Grants: the OAuth clients that people allow to act for them. The OAuth library stores the tokens; this store alone
 * decides, on each use, whether a grant is active in this household and as which member it acts.
 */
import { type CredentialId, type Role, ROLES } from "../../auth/principal.ts";
import { getLesserRole, isServingRole } from "../../auth/roles.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import type { GrantInfo, GrantInput } from "../../contracts/identity.ts";

interface GrantRow extends Record<string, SqlStorageValue> {
  id: string;
  person: string;
  actor: string;
  role: Role;
  client: string;
  host: string;
  created: number;
  used: number;
}

const DAY_MS = 86_400_000;
/** A grant that was unused for this long has no valid token left: refresh tokens live 90 days. */
const IDLE_MS = 91 * DAY_MS;
const MAX_ACTOR_CHARS = 64;

export class Grants {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * @param person who grants it; `made_with` is the credential behind the person's session, and the grant ends with it
   */
  add(
    grant: GrantInput,
    person: { actor: string; role: Role; made_with: string | null },
    now: number,
  ): { actor: string; role: Role } {
    const role = getLesserRole(grant.role, person.role);
    // A requestor is never a candidate for its own request, so a client that only asks gets a member id other than the
    // person's. One that serves acts as the person, who is the executor.
    const actor = isServingRole(role)
      ? person.actor
      : this.#chooseActor(person.actor, grant.label, now);
    this.#sql.exec(
      `INSERT INTO grants (id, person, actor, role, client_id, client, host, created, used, made_with)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      grant.id,
      person.actor,
      actor,
      role,
      grant.client_id,
      grant.client,
      grant.host,
      now,
      now,
      person.made_with,
    );
    return { actor, role };
  }

  /** Ends the person's earlier grants to this client; returns their ids. */
  replace(person: string, clientId: string): string[] {
    return this.#remove("person = ? AND client_id = ?", person, clientId);
  }

  /** Ends this grant if the person gave it; returns its id. */
  end(person: string, id: string): string[] {
    return this.#remove("person = ? AND id = ?", person, id);
  }

  /** Ends the grants made in sessions that stem from the credential; returns their ids. */
  endMadeWith(credential: CredentialId): string[] {
    return this.#remove("made_with = ?", credential);
  }

  /** The highest role that a grant gives the actor. */
  getRole(actor: string): Role | undefined {
    const roles = this.#sql
      .exec<{ role: Role; max_role: Role }>(
        "SELECT g.role, p.role AS max_role FROM grants g JOIN people p ON p.actor = g.person WHERE g.actor = ?",
        actor,
      )
      .toArray()
      .map(({ role, max_role }) => getLesserRole(role, max_role));
    return ROLES.find((role) => roles.includes(role));
  }

  /** The member and role as which the grant acts. The role never exceeds the person's current one. */
  findHolder(id: string, now: number): { actor: string; role: Role } | null {
    const [row] = this.#sql
      .exec<GrantRow & { max_role: Role }>(
        "SELECT g.*, p.role AS max_role FROM grants g JOIN people p ON p.actor = g.person WHERE g.id = ?",
        id,
      )
      .toArray();
    if (!row) return null;
    if (row.used + DAY_MS < now) this.#sql.exec("UPDATE grants SET used = ? WHERE id = ?", now, id);
    return { actor: row.actor, role: getLesserRole(row.role, row.max_role) };
  }

  /** The current role of the person who made the grant. */
  getPersonRole(id: string): Role | undefined {
    return this.#sql
      .exec<{ role: Role }>(
        "SELECT p.role FROM grants g JOIN people p ON p.actor = g.person WHERE g.id = ?",
        id,
      )
      .toArray()[0]?.role;
  }

  isLive(id: string): boolean {
    return (
      this.#sql
        .exec("SELECT 1 FROM grants g JOIN people p ON p.actor = g.person WHERE g.id = ?", id)
        .toArray().length > 0
    );
  }

  /** Grants that a client can still use, oldest first. */
  list(now: number): GrantInfo[] {
    return this.#sql
      .exec<GrantRow>("SELECT * FROM grants WHERE used > ? ORDER BY created, id", now - IDLE_MS)
      .toArray()
      .map(({ id, person, actor, role, client, host, created, used }) => ({
        id,
        person,
        actor,
        role,
        client,
        host,
        created: writeTime(created, "UTC"),
        used: writeTime(used, "UTC"),
      }));
  }

  revoke(id: string): Outcome<true> {
    return this.#sql.exec("DELETE FROM grants WHERE id = ?", id).rowsWritten > 0
      ? ok(true)
      : refuse("not_found", "grant not found", "List the grants to see the valid ids.");
  }

  /** Ends all grants of the person; returns their ids. */
  revokePerson(person: string): string[] {
    return this.#remove("person = ?", person);
  }

  #remove(where: string, ...values: string[]): string[] {
    return this.#sql
      .exec<{ id: string }>(`DELETE FROM grants WHERE ${where} RETURNING id`, ...values)
      .toArray()
      .map(({ id }) => id);
  }

  /** Chooses an actor id such as `ann.claude.ai`. The same person and client label always give the same id. */
  #chooseActor(person: string, label: string, now: number): string {
    const known = this.#sql
      .exec<{ actor: string }>(
        "SELECT actor FROM clients WHERE person = ? AND label = ?",
        person,
        label,
      )
      .toArray()[0];
    if (known) return known.actor;
    const preferred = `${person}.${label.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, "-")}`;
    let actor = preferred.slice(0, MAX_ACTOR_CHARS);
    for (let n = 2; this.#isTaken(actor); n++)
      actor = `${preferred.slice(0, MAX_ACTOR_CHARS - String(n).length - 1)}-${n}`;
    this.#sql.exec("INSERT INTO members (id, created) VALUES (?, ?)", actor, now);
    this.#sql.exec(
      "INSERT INTO clients (person, label, actor) VALUES (?, ?, ?)",
      person,
      label,
      actor,
    );
    return actor;
  }

  #isTaken(actor: string): boolean {
    return this.#sql.exec("SELECT 1 FROM members WHERE id = ?", actor).toArray().length > 0;
  }
}
