/** Defects in the API of MESS clients, in what members may read, and in lifecycle hooks. */
import type { Mutant } from "./mutant.ts";

const EXCHANGES = ["http/exchanges"];
const MEMBERS = ["household/member-role"];
const HOOKS = ["household/hooks"];

export const ECOSYSTEM_MUTANTS: readonly Mutant[] = [
  {
    name: "ecosystem: members read all threads of every household",
    file: "src/household/identity/effective-role.ts",
    find: 'role === "member" && settings.getAccess().threads === "open"',
    replace: 'role === "member" && settings.getAccess().threads !== undefined',
    tests: MEMBERS,
  },
  {
    name: "ecosystem: a member who only reads a thread stores files in it",
    file: "src/thread/thread-object.ts",
    find: "refuseReader(state, viewer) ?? work()",
    replace: "work()",
    tests: MEMBERS,
  },
  {
    name: "ecosystem: every requestor may claim its own request",
    file: "src/mess/thread/policy.ts",
    find: "state.requestor_serves === true && isUnclaimed(state)",
    replace: "isUnclaimed(state)",
    tests: MEMBERS,
  },
  {
    name: "ecosystem: the key of another exchange is accepted",
    file: "src/ingress/http/serve-route.ts",
    find: 'member.value.household !== req.param("exchange")',
    replace: 'member.value.household === ""',
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: strangers register in a closed household",
    file: "src/household/settings/register-member.ts",
    find: 'stores.settings.getAccess().registration !== "open"',
    replace: 'stores.settings.getAccess().registration === "invited"',
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: strangers register the id of a member",
    file: "src/household/settings/register-member.ts",
    find: "stores.members.has(id) ||",
    replace: "",
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: registrations use up the keys of a household",
    file: "src/household/settings/register-member.ts",
    find: "Math.floor(getLimits(stores).keys_per_household / 2)",
    replace: "getLimits(stores).keys_per_household",
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: a profile names a secret of the household",
    file: "src/mess/config/member-profile.ts",
    find: '.includes("${")',
    replace: '.includes("$${")',
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: a member changes the profile of another",
    file: "src/ingress/http/resources/exchanges/executors.ts",
    find: "if (id !== principal.actor)",
    replace: 'if (id === "")',
    tests: EXCHANGES,
  },
  {
    name: "ecosystem: an update of a request sends blocks elsewhere",
    file: "src/exchange/client-calls/update-request.ts",
    find: "if (isElsewhere)",
    replace: "if (isElsewhere && blocks.value.length === 0)",
    tests: EXCHANGES,
  },
  {
    name: "hooks: the writer of a request chooses the host",
    file: "src/mess/config/hooks.ts",
    find: '.test(url) && !url.startsWith("{")',
    replace: '.test(url.slice(0, 4)) && !url.startsWith("{")',
    tests: HOOKS,
  },
  {
    name: "hooks: a status between two summaries is lost",
    file: "src/household/hooks/hook-jobs.ts",
    find: "seq > before.seq &&",
    replace: "seq === summary.seq &&",
    tests: HOOKS,
  },
  {
    name: "hooks: a decline of one candidate is a rejection",
    file: "src/household/hooks/hook-jobs.ts",
    find: '(status !== "declined" || summary.status === status)',
    replace: 'status !== "expired"',
    tests: HOOKS,
  },
];
