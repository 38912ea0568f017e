/** Seconds without a message after which a claim lapses (decision 30). */
const LEASE_SECONDS = { person: 7_200, machine: 900 } as const;

/** Returns the default lease in seconds of this kind of executor. */
export const getLeaseSeconds = (kind: "person" | "machine"): number => LEASE_SECONDS[kind];
