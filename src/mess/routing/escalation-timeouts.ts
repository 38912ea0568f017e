/** How long each escalation step lasts before the next step begins. */
import type { Priority } from "../envelope.ts";

/** Seconds by priority: urgent 2 minutes, elevated 10, normal 30, background 4 hours. */
export const DEFAULT_STEP_SECONDS: Readonly<Record<Priority, number>> = {
  urgent: 120,
  elevated: 600,
  normal: 1_800,
  background: 14_400,
};

/** Returns the seconds of a step at this priority: the household's setting, else the default. */
export const getStepSeconds = (
  priority: Priority,
  timeouts: Partial<Record<Priority, number>> = {},
): number => Math.max(1, timeouts[priority] ?? DEFAULT_STEP_SECONDS[priority]);
