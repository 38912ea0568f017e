/** Writes AI groups for an export: documents like those of MESSE-AF, and pairs of a task and its report. */
import { defined } from "../defined.ts";
import { DOCUMENT_SEPARATOR, writeYaml } from "../wire/serialize.ts";
import type { GroupMessageType } from "./vocabulary.ts";

/** A group as its first document describes it. */
export interface ArchivedGroup {
  group_id: string;
  topic: string;
  description?: string;
  status: string;
  created: string;
  members: readonly { id: string; name: string; role: string; primary?: true; left?: true }[];
}

/** A message of an export; times are ISO 8601. */
export interface ArchivedGroupMessage {
  id: string;
  /** Present id of the sender, or `exchange`. */
  from: string;
  from_name: string;
  to: string;
  type: GroupMessageType;
  at: string;
  content: string;
  importance?: string;
  /** Sent by a person. */
  person?: true;
  reply_to?: string;
  tool_usage?: string[];
  files_modified?: string[];
  task_status?: string;
  /** For a report: id of the task that it completed. */
  completes?: string;
  /** For a report about a task that its sender no longer holds: it completes nothing. */
  late?: true;
}

export const GROUP_PAIRS_FILE = "groups/pairs.jsonl";
export const buildGroupFileName = (id: string): string => `groups/${id}.messe-af.yaml`;

/** Document 1. */
export function writeGroupEnvelope(group: ArchivedGroup): string {
  const { group_id, topic, description, status, created, members } = group;
  const listed = members.map(({ id, name, role, primary, left }) =>
    defined({ id, name, role, primary, left }),
  );
  return writeYaml({
    ref: group_id,
    ...defined({ intent: topic, description, status, created }),
    members: listed,
  });
}

/** One of the documents 2…, with the separator before it. */
export function writeGroupDocument(message: ArchivedGroupMessage): string {
  const { id, from, from_name, to, type, at, content, reply_to, completes, late } = message;
  const { importance, person, tool_usage, files_modified, task_status } = message;
  const fields = { importance, person, tool_usage, files_modified, task_status, completes, late };
  const block = { id, ...defined({ re: reply_to }), content, ...defined(fields) };
  const document = { from, from_name, to, received: at, MESS: [{ [type]: block }] };
  return `${DOCUMENT_SEPARATOR}${writeYaml(document)}`;
}

/** A line of JSON: a task, the report that completed it, and the time between them. */
export function writeTaskPair(
  group_id: string,
  task: ArchivedGroupMessage,
  report: ArchivedGroupMessage,
): string {
  const { tool_usage = [], files_modified = [] } = report;
  const pair = {
    group_id,
    task_id: task.id,
    report_id: report.id,
    agent: report.from_name,
    task: task.content,
    report: report.content,
    tool_usage,
    files_modified,
    seconds: Math.round((Date.parse(report.at) - Date.parse(task.at)) / 1_000),
  };
  return `${JSON.stringify(pair)}\n`;
}
