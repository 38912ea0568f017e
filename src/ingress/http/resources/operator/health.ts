/** `/api/v1/health`: whether the stores of the deployment respond, for its operator. */
import { ok } from "../../../../mess/result.ts";
import { SOFTWARE_VERSION } from "../../../../version.ts";
import { type HandlerPromise, defineNoHouseholdRoute, type HttpRoute } from "../../route.ts";

const CHECK_TIMEOUT_MS = 3_000;

interface StoreHealth {
  ok: boolean;
  milliseconds: number;
}

/** The reason of a failure is not shown: it may hold names of the account. */
async function check(call: Promise<unknown>): Promise<StoreHealth> {
  const startedAt = Date.now();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("timeout")), CHECK_TIMEOUT_MS);
  });
  const isHealthy = await Promise.race([call, late]).then(
    () => true,
    () => false,
  );
  return { ok: isHealthy, milliseconds: Date.now() - startedAt };
}

async function readHealth({ env }: { env: Env }): HandlerPromise {
  const [index, files, grants] = await Promise.all([
    check(env.INDEX.prepare("SELECT 1 FROM households LIMIT 1").first()),
    check(env.BLOBS.head("health")),
    check(env.OAUTH_KV.get("health")),
  ]);
  return ok({ body: { version: SOFTWARE_VERSION, stores: { d1: index, r2: files, kv: grants } } });
}

export const healthRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/health",
    access: "operator",
    summary: "Whether the stores of the deployment respond",
    handle: readHealth,
  }),
];
