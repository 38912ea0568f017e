/** `node migrate-state.ts DIR` creates a state directory that contains only the migrated index. */
import { join } from "node:path";
import { openState } from "../../scripts/lib/state-directory.ts";
import { migrate } from "../../scripts/lib/worker.ts";

const [directory = ""] = process.argv.slice(2);
await migrate(openState(directory), join(directory, "log"), new AbortController().signal);
