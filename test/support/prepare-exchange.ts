/** `node prepare-exchange.ts DIR` creates in DIR `state`, which contains only the migrated index, and `worker`. */
import { join } from "node:path";
import { openState } from "../../scripts/lib/exchange/state-directory.ts";
import { migrate } from "../../scripts/lib/exchange/worker.ts";
import { bundleWorker } from "./bundle-worker.ts";

const [directory = ""] = process.argv.slice(2);
const state = openState(join(directory, "state"));
await Promise.all([
  migrate(state, join(state.directory, "log"), new AbortController().signal),
  bundleWorker(join(directory, "worker")),
]);
