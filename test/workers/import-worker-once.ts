/**
 * For each call of an object the test pool imports the Worker's module again, by two requests to its runner object.
 * This keeps the module after the first import, which saves a sixth of the processor time of these tests.
 */
import { maybeHandleRunRequest } from "cloudflare:test-internal";
import { env } from "cloudflare:workers";

interface ModuleRunner {
  import(specifier: string, options?: object): Promise<unknown>;
}

interface RunnerInit {
  cf: Record<string, unknown>;
}

interface RunnerObjects {
  get(name: string): { fetch(url: string, init: RunnerInit): Promise<Response> };
}

/** V8's settings of stacks, which the types of Workers do not have. */
interface StackSettings {
  stackTraceLimit: number;
  prepareStackTrace?: (
    error: Error,
    callers: readonly { getFunctionName(): string | null }[],
  ) => unknown;
}

const WORKER_PATTERN = /\/src\/index\.ts$/;
const StackError = Error as ErrorConstructor & StackSettings;

let isInstalled = false;
let workerModule: unknown;

export function importWorkerOnce(): void {
  if (isInstalled) return;
  isInstalled = true;
  const { __vitest_mocker__: mocker } = globalThis as unknown as {
    __vitest_mocker__: { moduleRunner: ModuleRunner };
  };
  keepWorkerModule(mocker.moduleRunner);
  const { __VITEST_POOL_WORKERS_RUNNER_OBJECT: runners } = env as unknown as {
    __VITEST_POOL_WORKERS_RUNNER_OBJECT: RunnerObjects;
  };
  const getRunner = runners.get.bind(runners);
  runners.get = (name) =>
    workerModule !== undefined && isCalledByImport() ? { fetch: runHere } : getRunner(name);
}

function keepWorkerModule(moduleRunner: ModuleRunner): void {
  const importModule = moduleRunner.import.bind(moduleRunner);
  moduleRunner.import = async (specifier, options) => {
    if (!WORKER_PATTERN.test(specifier)) return await importModule(specifier, options);
    workerModule ??= await importModule(specifier, options);
    return workerModule;
  };
}

/** Runs an import where it is called, since a kept module needs no input or output of the runner object. */
async function runHere(_url: string, { cf }: RunnerInit): Promise<Response> {
  const response = await maybeHandleRunRequest({ cf }, undefined, undefined);
  if (!response) throw new Error("The test pool requested something else than an import.");
  return response;
}

/** All other work of the runner object, such as messages to the test process, still needs that object. */
function isCalledByImport(): boolean {
  const { stackTraceLimit, prepareStackTrace } = StackError;
  let isImport = false;
  // The limit and the empty text keep this cheap, since the test runner maps the text of a stack to its sources.
  StackError.stackTraceLimit = 4;
  StackError.prepareStackTrace = (_error, callers) => {
    isImport = callers.some((caller) => caller.getFunctionName() === "importModule");
    return "";
  };
  try {
    void new Error("its stack names the callers").stack;
  } finally {
    Object.assign(StackError, { stackTraceLimit, prepareStackTrace });
  }
  return isImport;
}
