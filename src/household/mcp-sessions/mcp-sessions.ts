/**
 * The sessions of MCP clients of the 2025 revisions that set a log level or subscribed to resources. Other sessions
 * have no row.
 */
import type { McpSessionKey, McpSessionState } from "../../contracts/mcp-sessions.ts";

/** A session without changes and without a newly opened stream ends after this time. */
const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;
/** Sessions of one credential; a further one removes the one that would end first. */
const MAX_SESSIONS_PER_CREDENTIAL = 64;

interface SessionRow extends Record<string, SqlStorageValue> {
  level: string | null;
  uris: string;
}

export class McpSessions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read({ credential, session }: McpSessionKey, now: number): McpSessionState {
    const [row] = this.#sql
      .exec<SessionRow>(
        "SELECT level, uris FROM mcp_sessions WHERE credential = ? AND session = ? AND expires > ?",
        credential,
        session,
        now,
      )
      .toArray();
    if (!row) return { uris: [] };
    const uris = JSON.parse(row.uris) as string[];
    return row.level === null ? { uris } : { level: row.level, uris };
  }

  write({ credential, session }: McpSessionKey, state: McpSessionState, now: number): void {
    this.#sql.exec("DELETE FROM mcp_sessions WHERE expires <= ?", now);
    this.#sql.exec(
      "INSERT OR REPLACE INTO mcp_sessions (credential, session, level, uris, expires) VALUES (?, ?, ?, ?, ?)",
      credential,
      session,
      state.level ?? null,
      JSON.stringify(state.uris),
      now + SESSION_LIFETIME_MS,
    );
    this.#sql.exec(
      `DELETE FROM mcp_sessions WHERE credential = ?1 AND session IN (
         SELECT session FROM mcp_sessions WHERE credential = ?1 ORDER BY expires DESC, session LIMIT -1 OFFSET ?2)`,
      credential,
      MAX_SESSIONS_PER_CREDENTIAL,
    );
  }

  /** Reads the session, and keeps it for its whole lifetime from now on. */
  extend(key: McpSessionKey, now: number): McpSessionState {
    this.#sql.exec(
      "UPDATE mcp_sessions SET expires = ? WHERE credential = ? AND session = ? AND expires > ?",
      now + SESSION_LIFETIME_MS,
      key.credential,
      key.session,
      now,
    );
    return this.read(key, now);
  }

  delete({ credential, session }: McpSessionKey): void {
    this.#sql.exec(
      "DELETE FROM mcp_sessions WHERE credential = ? AND session = ?",
      credential,
      session,
    );
  }
}
