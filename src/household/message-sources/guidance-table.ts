/** The texts by which messages are classified, in SQLite: the owner's policy with its history, rules and corrections. */
import type { ClassifierExample, PolicyVersion } from "../../contracts/household-sources.ts";
import type { ClassifierRule } from "../../mess/sources/rules.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { SECRETARY_POLICY } from "../../mess/sources/secretary.ts";
import { writeTime } from "../../mess/times.ts";

/** Part of a released migration: change the tables by a new migration only. */
export const GUIDANCE_TABLES = `
  CREATE TABLE message_policies (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    created INTEGER NOT NULL
  );
  CREATE TABLE message_rules (n INTEGER PRIMARY KEY, rule TEXT NOT NULL);
  CREATE TABLE message_corrections (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    message TEXT NOT NULL,
    example TEXT NOT NULL,
    UNIQUE (source, message)
  );`;

/** Corrections that are kept: rules are learned from them, and the newest are the examples of the classifier. */
const MAX_CORRECTIONS = 200;
const MAX_POLICY_VERSIONS = 100;

interface PolicyRow extends Record<string, SqlStorageValue> {
  version: number;
  text: string;
  author: string;
  created: number;
}

const toVersion = ({ created, ...row }: PolicyRow): PolicyVersion => ({
  ...row,
  created: writeTime(created, "UTC"),
});

export class GuidanceTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The newest first; the last is the one that ships. */
  listPolicies(): PolicyVersion[] {
    const rows = this.#sql
      .exec<PolicyRow>("SELECT * FROM message_policies ORDER BY version DESC")
      .toArray();
    return [...rows.map(toVersion), SHIPPED_POLICY];
  }

  getPolicy(): PolicyVersion {
    const [row] = this.#sql
      .exec<PolicyRow>("SELECT * FROM message_policies ORDER BY version DESC LIMIT 1")
      .toArray();
    return row ? toVersion(row) : SHIPPED_POLICY;
  }

  addPolicy(text: string, author: string, now: number): void {
    this.#sql.exec(
      "INSERT INTO message_policies (text, author, created) VALUES (?, ?, ?)",
      text,
      author,
      now,
    );
    this.#sql.exec(
      `DELETE FROM message_policies WHERE version <=
         (SELECT version FROM message_policies ORDER BY version DESC LIMIT 1 OFFSET ?)`,
      MAX_POLICY_VERSIONS,
    );
  }

  listRules(): ClassifierRule[] {
    return this.#sql
      .exec<{ rule: string }>("SELECT rule FROM message_rules ORDER BY n")
      .toArray()
      .map(({ rule }) => JSON.parse(rule) as ClassifierRule);
  }

  setRules(rules: readonly ClassifierRule[]): void {
    this.#sql.exec("DELETE FROM message_rules");
    for (const rule of rules)
      this.#sql.exec("INSERT INTO message_rules (rule) VALUES (?)", JSON.stringify(rule));
  }

  /** The oldest first. */
  listCorrections(): ClassifierExample[] {
    return this.#sql
      .exec<{ example: string }>("SELECT example FROM message_corrections ORDER BY n")
      .toArray()
      .map(({ example }) => JSON.parse(example) as ClassifierExample);
  }

  /** The newest corrections, the oldest of them first. */
  listExamples(): ClassifierExample[] {
    return this.listCorrections().slice(-SOURCE_LIMITS.examples);
  }

  /** A second correction of a message replaces the first. */
  addCorrection(example: ClassifierExample): void {
    const { source, message } = example;
    this.#sql.exec(
      "DELETE FROM message_corrections WHERE source = ? AND message = ?",
      source,
      message,
    );
    this.#sql.exec(
      "INSERT INTO message_corrections (source, message, example) VALUES (?, ?, ?)",
      source,
      message,
      JSON.stringify(example),
    );
    this.#sql.exec(
      `DELETE FROM message_corrections WHERE n <=
         (SELECT n FROM message_corrections ORDER BY n DESC LIMIT 1 OFFSET ?)`,
      MAX_CORRECTIONS,
    );
  }

  clearCorrections(): void {
    this.#sql.exec("DELETE FROM message_corrections");
  }

  /** Deletes the corrections of a source that was removed, so that no classifier sees them. */
  removeCorrections(source: string): void {
    this.#sql.exec("DELETE FROM message_corrections WHERE source = ?", source);
  }
}

/** In force until an owner writes a policy. */
const SHIPPED_POLICY: PolicyVersion = {
  version: 0,
  text: SECRETARY_POLICY,
  author: "exchange",
  created: writeTime(0, "UTC"),
};
