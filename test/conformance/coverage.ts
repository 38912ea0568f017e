/** What the suite must cover, and what it leaves out, with reasons. */

/** Decisions without a case, because a pure core does not implement them. */
export const TESTED_ELSEWHERE: Readonly<Record<number, string>> = {
  9: "the household remembers client ids, bodies and idempotency keys",
  65: "links are made and checked by the authentication of the exchange",
  66: "media types are negotiated over HTTP",
  67: "waiting is a matter of the tools that agents call",
};

/** Decisions that the core implements in part, with the part that it leaves out. */
export const IN_PART: Readonly<Record<number, string>> = {
  3: "which thread is last is known by the household",
  4: "targets are looked up by the household; the core says what may be a target",
  6: "the counter of a day is the household's; the core writes and reads serials",
  36: "failed deliveries are logged by who delivers",
  42: "ids of depends_on are resolved by the household; the core finds cycles and judges ends",
  50: "roles come from credentials; the exchange answers queries and stores none",
};

/** Sections of docs/protocol.md without a case, with reasons. Chapters are covered by their sections. */
export const SECTIONS_ELSEWHERE: Readonly<Record<string, string>> = {
  "2.5": "earlier threads are looked up by the exchange",
  "9.2": "a test of the page compares the diagram with the tables of transitions",
  "10.3": "targets are looked up by the household",
  "10.5": "the household remembers calls",
  "11.5": "answers over HTTP are tested with the routes",
};
