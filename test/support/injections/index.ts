/** The injection set: 60 messages that try to make a classifier or an agent act against the owner's will. */
import { APPROVING_INJECTIONS } from "./approving.ts";
import { CHANGING_INJECTIONS } from "./changing.ts";
import type { Injection } from "./injection.ts";
import { READING_INJECTIONS } from "./reading.ts";
import { SENDING_INJECTIONS } from "./sending.ts";
import { VERDICT_INJECTIONS } from "./verdicts.ts";

export const INJECTIONS: readonly Injection[] = [
  ...VERDICT_INJECTIONS,
  ...SENDING_INJECTIONS,
  ...APPROVING_INJECTIONS,
  ...CHANGING_INJECTIONS,
  ...READING_INJECTIONS,
];
