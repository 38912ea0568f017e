/**
 * This implementation behind the operations of the suite (README.md, Operations): pure dispatch from `op` to the
 * core. Another implementation writes this file anew, in its own language.
 */
import type { Json } from "../../src/mess/json.ts";
import type { Call } from "./check.ts";
import { attach, content, parse } from "./ops/messages.ts";
import { actorId, capability, config, cycle, priority, route, windowOpen } from "./ops/routing.ts";
import {
  attachmentName,
  contentUri,
  day,
  duration,
  messageRef,
  readRef,
  slug,
  status,
  target,
  threadRef,
  time,
} from "./ops/tables.ts";
import { thread } from "./ops/thread.ts";
import { fileNames, layout, read, write } from "./ops/files.ts";

const OPERATIONS: Readonly<Record<string, (call: Call) => Json>> = {
  "actor-id": actorId,
  attach,
  "attachment-name": attachmentName,
  capability,
  config,
  content,
  "content-uri": contentUri,
  cycle,
  day,
  duration,
  "file-names": fileNames,
  layout,
  "message-ref": messageRef,
  parse,
  priority,
  read,
  "read-ref": readRef,
  route,
  slug,
  status,
  target,
  thread,
  "thread-ref": threadRef,
  time,
  window: windowOpen,
  write,
};

/** The result of one call; an operation that is not offered is a defect of the adapter, not a refusal. */
export function adapter(call: Call): Json {
  const operation = OPERATIONS[call.op];
  if (!operation) return { defect: `no operation ${call.op}` };
  return operation(call);
}
