/** The drafts of a source with all of their revisions. What a draft may become is decided in `mess/sources/draft.ts`. */
import { createDraft, type Draft } from "../../mess/sources/draft.ts";
import { computeDraftDigest, type DraftContent } from "../../mess/sources/draft-content.ts";
import { buildSourceId, ID_BYTES, parseSourceSeq } from "../../mess/sources/ids.ts";
import type { DraftState } from "../../mess/sources/vocabulary.ts";

/** `call_key` belongs to the call that created the draft; `life` is a Draft as JSON, of which `state` is a copy. */
export const DRAFT_TABLES = `
  CREATE TABLE drafts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    message INTEGER,
    state TEXT NOT NULL,
    created INTEGER NOT NULL,
    call_key TEXT,
    life TEXT NOT NULL
  );
  CREATE INDEX drafts_by_state ON drafts (state);
  CREATE UNIQUE INDEX drafts_by_call_key ON drafts (call_key) WHERE call_key IS NOT NULL;
  CREATE TABLE draft_revisions (
    draft INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    author TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (draft, revision)
  ) WITHOUT ROWID;`;

export interface StoredDraft {
  seq: number;
  id: string;
  /** Position of the message that it answers or forwards. */
  message: number | null;
  /** Milliseconds since 1970. */
  created: number;
  life: Draft;
}

export interface DraftRevision {
  /** A member, or `watcher`. */
  author: string;
  content: DraftContent;
}

/** The place of a draft that its digest covers. */
export interface DraftPlace {
  source: string;
  message: { seq: number; id: string } | undefined;
}

type DraftRow = Omit<StoredDraft, "life"> & { life: string };
const COLUMNS = "seq, id, message, created, life";
const toDraft = ({ life, ...row }: DraftRow): StoredDraft => ({
  ...row,
  life: JSON.parse(life) as Draft,
});

export class DraftTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  insert(
    { author, content }: DraftRevision,
    { source, message }: DraftPlace,
    now: number,
    callKey?: string,
  ): StoredDraft {
    const { newest } = this.#sql
      .exec<{ newest: number }>("SELECT coalesce(max(seq), 0) AS newest FROM drafts")
      .one();
    const seq = newest + 1;
    const id = buildSourceId("d", seq, crypto.getRandomValues(new Uint8Array(ID_BYTES)));
    const about = { source, draft: id, message: message?.id, revision: 1 };
    const life = createDraft(computeDraftDigest(content, about), now);
    this.#sql.exec(
      "INSERT INTO drafts (seq, id, message, state, created, call_key, life) VALUES (?, ?, ?, ?, ?, ?, ?)",
      seq,
      id,
      message?.seq ?? null,
      life.state,
      now,
      callKey ?? null,
      JSON.stringify(life),
    );
    this.addRevision(seq, 1, { author, content });
    return { seq, id, message: message?.seq ?? null, created: now, life };
  }

  /** @param id as readers see it; any text */
  find(id: string): StoredDraft | undefined {
    const seq = parseSourceSeq("d", id);
    const draft = seq === undefined ? undefined : this.get(seq);
    return draft?.id === id ? draft : undefined;
  }

  get(seq: number): StoredDraft | undefined {
    return this.#select("seq = ?", seq)[0];
  }

  findByCallKey(key: string): StoredDraft | undefined {
    return this.#select("call_key = ?", key)[0];
  }

  /** Drafts before the position, the newest first. */
  list(state: DraftState | undefined, before: number, limit: number): StoredDraft[] {
    return state === undefined
      ? this.#select("seq < ? ORDER BY seq DESC LIMIT ?", before, limit)
      : this.#select("state = ? AND seq < ? ORDER BY seq DESC LIMIT ?", state, before, limit);
  }

  /** Drafts that nobody has approved. */
  countOpen(): number {
    return this.#sql
      .exec<{
        count: number;
      }>("SELECT count(*) AS count FROM drafts WHERE state IN ('draft', 'approval_requested')")
      .one().count;
  }

  saveLife(seq: number, life: Draft): void {
    this.#sql.exec(
      "UPDATE drafts SET state = ?, life = ? WHERE seq = ?",
      life.state,
      JSON.stringify(life),
      seq,
    );
  }

  addRevision(draft: number, revision: number, { author, content }: DraftRevision): void {
    this.#sql.exec(
      "INSERT INTO draft_revisions (draft, revision, author, content) VALUES (?, ?, ?, ?)",
      draft,
      revision,
      author,
      JSON.stringify(content),
    );
  }

  getRevision(draft: number, revision: number): DraftRevision {
    const { author, content } = this.#sql
      .exec<{
        author: string;
        content: string;
      }>(
        "SELECT author, content FROM draft_revisions WHERE draft = ? AND revision = ?",
        draft,
        revision,
      )
      .one();
    return { author, content: JSON.parse(content) as DraftContent };
  }

  delete(seq: number): void {
    this.#sql.exec("DELETE FROM draft_revisions WHERE draft = ?", seq);
    this.#sql.exec("DELETE FROM drafts WHERE seq = ?", seq);
  }

  #select(where: string, ...values: SqlStorageValue[]): StoredDraft[] {
    return this.#sql
      .exec<DraftRow & Record<string, SqlStorageValue>>(
        `SELECT ${COLUMNS} FROM drafts WHERE ${where}`,
        ...values,
      )
      .toArray()
      .map(toDraft);
  }
}
