/** `node migrate-state.ts DIR`: a state directory with the index migrated, and nothing else that is of use. */
import { join } from "node:path";
import { openState } from "../../scripts/lib/state-directory.ts";
import { migrate } from "../../scripts/lib/worker.ts";

const [directory = ""] = process.argv.slice(2);
await migrate(openState(directory), join(directory, "log"), new AbortController().signal);
