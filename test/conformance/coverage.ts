/** What the suite must cover, and what it leaves to others with the reason. */

/** Decisions that no case can show, because they are not settled by a pure core. */
export const ELSEWHERE: Readonly<Record<number, string>> = {
  9: "the household remembers client ids, bodies and idempotency keys",
  65: "links are made and checked by the authentication of the exchange",
  66: "media types are negotiated over HTTP",
  67: "waiting is a matter of the tools that agents call",
};

/** Decisions that the core settles in part; what is left, and to whom. */
export const IN_PART: Readonly<Record<number, string>> = {
  3: "which thread is last is known by the household",
  4: "targets are looked up by the household; the core says what may be a target",
  6: "the counter of a day is the household's; the core writes and reads serials",
  36: "failed deliveries are logged by who delivers",
  42: "ids of depends_on are resolved by the household; the core finds cycles and judges ends",
  50: "roles come from credentials; the exchange answers queries and stores none",
};

/** Sections of the specifications that hold rules. Overviews, examples and file-system recipes hold none. */
export const SECTIONS: readonly string[] = [
  ..."1 1.1 1.2 1.3 2 2.1 2.2 2.3 2.4 3.1 3.2 3.3 4.1 4.2 4.3 5.1 6 6.1 7.1 7.2 7.3 7.4 7.5"
    .split(" ")
    .map((section) => `protocol 1.0 §${section}`),
  ..."8.1 8.2 8.3 8.4 8.5 8.6 9 10".split(" ").map((section) => `protocol 1.0 §${section}`),
  "protocol 1.1",
  "MESSE-AF Core Identifier Fields",
  "MESSE-AF Thread References",
  "MESSE-AF Message References",
  "MESSE-AF Acks Are System Messages",
  "MESSE-AF The re: Field",
  "MESSE-AF File Structure",
  "MESSE-AF Message Document Fields",
  "MESSE-AF Actor Types",
  "MESSE-AF State Changes That Trigger Envelope Update",
  "MESSE-AF Envelope Fields",
  "MESSE-AF Status Values",
  "MESSE-AF History Log",
  "MESSE-AF Folder Mapping",
  "MESSE-AF File Movement",
  "MESSE-AF Simple Router",
  "MESSE-AF Directory Structure",
  "MESSE-AF Size Limits",
  "MESSE-AF File Numbering",
  "MESSE-AF Attachment References",
  "MESSE-AF Resource URIs",
  "MESSE-AF Reading a Thread",
  "MESSE-AF V2 Writing a Thread",
  "MESSE-AF Archive Format",
  "MESSE-AF Backward Compatibility",
];
