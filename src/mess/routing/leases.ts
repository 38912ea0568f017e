/** Seconds of silence after which a claim lapses (decision 30): two hours for people, a quarter of an hour for machines. */
const LEASE_SECONDS = { person: 7_200, machine: 900 } as const;

/** Seconds that a claim of this kind of executor lasts, where nothing else was agreed. */
export const getLeaseSeconds = (kind: "person" | "machine"): number => LEASE_SECONDS[kind];
