/** The reliability tests of a release: files, sizes of one round, and rounds. */

interface ReleaseStep {
  name: string;
  rounds: number;
  /** Seeds that one round uses up. */
  seedStep: number;
  /** Environment variables that the tests read. */
  sizes: Readonly<Record<string, string>>;
  files: readonly string[];
}

export const RELEASE_STEPS: readonly ReleaseStep[] = [
  {
    name: "schedules",
    rounds: 50,
    seedStep: 2_000,
    sizes: { RELIABILITY_SCHEDULES: "2000" },
    files: ["test/workers/reliability/crash-schedules"],
  },
  {
    name: "cases",
    rounds: 50,
    seedStep: 2_000,
    sizes: { RELIABILITY_CASES: "200" },
    files: [
      "test/workers/reliability/chat-callbacks",
      "test/workers/reliability/deliveries",
      "test/workers/reliability/duplicates",
      "test/workers/reliability/round-trip",
      "test/workers/robots/storm",
      "test/workers/ingress/email/email-storm",
      "test/workers/ingress/sms/sms-storm",
    ],
  },
  {
    name: "inputs",
    rounds: 50,
    seedStep: 1,
    sizes: { RELIABILITY_BODIES: "12000", RELIABILITY_REPLAYS: "2000" },
    files: [
      "test/unit/reliability/malformed-input",
      "test/unit/mess/thread/restore",
      "test/workers/http/fuzz",
    ],
  },
  {
    name: "groups",
    rounds: 50,
    seedStep: 20,
    sizes: { RELIABILITY_SIMULATIONS: "20" },
    files: ["test/workers/reliability/groups/"],
  },
  {
    name: "sources",
    rounds: 50,
    seedStep: 1,
    sizes: {},
    files: ["test/workers/sources/whole/day", "test/workers/reliability/sources/"],
  },
  {
    name: "index",
    // More threads in one workerd can exceed its limit of open files: each has a database of its own.
    rounds: 5,
    seedStep: 2_000,
    sizes: { RELIABILITY_THREADS: "2000" },
    files: ["test/workers/reliability/index-outage"],
  },
  {
    name: "isolation",
    rounds: 1,
    seedStep: 1,
    sizes: { ISOLATION_PROBES: "1000" },
    files: ["test/workers/isolation/", "test/e2e/isolation-timing"],
  },
  {
    name: "kills",
    rounds: 1,
    seedStep: 1,
    sizes: { CRASH_CYCLES: "200" },
    files: ["test/e2e/crash"],
  },
];
