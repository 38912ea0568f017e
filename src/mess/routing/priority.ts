import type { Priority } from "../envelope.ts";
import type { Request } from "../wire/schema.ts";

const PRIORITY_BY_URGENCY = { now: "urgent", soon: "elevated", whenever: "background" } as const;

/** Returns the priority: `priority` takes precedence over `urgency`; the default is normal (decision 41). */
export function getEffectivePriority(request: Pick<Request, "priority" | "constraints">): Priority {
  const urgency = request.constraints?.timing?.urgency;
  return request.priority ?? (urgency === undefined ? "normal" : PRIORITY_BY_URGENCY[urgency]);
}
