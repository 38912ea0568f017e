/**
 * The adapter of this implementation (README.md, Operations): dispatches `op` to the core. Another implementation
 * writes its own adapter, in its own language.
 */
import type { Json } from "../../src/mess/json.ts";
import type { Call } from "./check.ts";
import { attach, parseContent, parse } from "./ops/messages.ts";
import {
  checkActorIdCase,
  checkCapability,
  readConfigCase,
  findCycleCase,
  getPriorityCase,
  route,
  checkWindowOpen,
} from "./ops/routing.ts";
import {
  buildAttachmentName,
  isContentUri,
  computeDay,
  parseDuration,
  buildMessageRef,
  readRef,
  buildSlug,
  parseStatus,
  parseTarget,
  buildThreadRef,
  time,
} from "./ops/tables.ts";
import { runThreadCase } from "./ops/thread.ts";
import { buildFileNames, parseLayout, read, write } from "./ops/files.ts";

const OPERATIONS: Readonly<Record<string, (call: Call) => Json>> = {
  "actor-id": checkActorIdCase,
  attach,
  "attachment-name": buildAttachmentName,
  capability: checkCapability,
  config: readConfigCase,
  content: parseContent,
  "content-uri": isContentUri,
  cycle: findCycleCase,
  day: computeDay,
  duration: parseDuration,
  "file-names": buildFileNames,
  layout: parseLayout,
  "message-ref": buildMessageRef,
  parse,
  priority: getPriorityCase,
  read,
  "read-ref": readRef,
  route,
  slug: buildSlug,
  status: parseStatus,
  target: parseTarget,
  thread: runThreadCase,
  "thread-ref": buildThreadRef,
  time,
  window: checkWindowOpen,
  write,
};

/** The result of one call. An unknown operation is a defect of the adapter, not a refusal. */
export function runAdapter(call: Call): Json {
  const operation = OPERATIONS[call.op];
  if (!operation) return { defect: `no operation ${call.op}` };
  return operation(call);
}
