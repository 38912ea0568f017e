/** Reads and validates the Worker's vars and secrets. No other module reads them. */
import type { WorkerSecret } from "./auth/worker-secret.ts";
import * as z from "zod";
import { deploymentLimitsSchema, type QuotaLimits, resolveLimits } from "./mess/quotas.ts";

/** An origin without a path, such as `https://mess.example.org`; an empty text counts as not set. */
const originSchema = z
  .string()
  .trim()
  .transform((text) => text.replace(/\/$/, ""))
  .refine((text) => text === "" || (URL.canParse(text) && new URL(text).origin === text))
  .transform((text) => (text === "" ? undefined : text));

/** JSON of the changed limits, such as `{"open_threads_per_member": 500}`; an empty text changes none. */
const limitsSchema = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text.trim() || "{}") as unknown;
    } catch {
      ctx.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(deploymentLimitsSchema);

const configSchema = z.object({
  MESS_SECRET: z.string().min(32),
  MESS_SECRET_PREVIOUS: z.union([z.literal(""), z.string().min(32)]).optional(),
  MESS_OPERATOR_KEY: z.string().min(16),
  PUBLIC_ORIGIN: originSchema.optional(),
  EGRESS_LOOPBACK: z.enum(["allow", "deny"]).default("deny"),
  LIMITS: limitsSchema.default({}),
});

export interface Config {
  /** Signs links; every other key of the exchange is derived from it. During a rotation with the former one. */
  secret: WorkerSecret;
  /** Authorizes creating households. */
  operatorKey: string;
  /** Origin of the links in notices; without it notices contain no links. */
  origin: string | undefined;
  /** Allow channels to send to this machine: only for local exchanges and tests. */
  loopback: boolean;
  /** Quotas and rates, with the changes of this deployment. */
  limits: QuotaLimits;
}

interface KnownConfig {
  config: Config;
  /** The secrets of the config, in case the bindings change while the object of bindings stays. */
  given: readonly (string | undefined)[];
}

const configByEnv = new WeakMap<object, KnownConfig>();

/**
 * Returns the origin for links that are shown or sent to somebody. The `Host` header decides only where the operator
 * set no `PUBLIC_ORIGIN`: the sender of a request chooses that header.
 */
export const getLinkOrigin = (env: Vars, request: Request): string =>
  getConfig(env).origin ?? new URL(request.url).origin;

type Vars = Pick<Env, "MESS_SECRET" | "MESS_OPERATOR_KEY"> &
  Partial<Record<"PUBLIC_ORIGIN" | "EGRESS_LOOPBACK" | "LIMITS" | "MESS_SECRET_PREVIOUS", string>>;

/** Throws where a secret is missing or too short, or a var is invalid, so that such a deployment serves nothing. */
export function getConfig(env: Vars): Config {
  const known = configByEnv.get(env);
  const given = [env.MESS_SECRET, env.MESS_SECRET_PREVIOUS];
  if (known && given.every((one, at) => one === known.given[at])) return known.config;
  const read = configSchema.safeParse(env);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, code }) => `${path.join(".")} (${code})`);
    throw new Error(`vars or secrets are missing or invalid: ${issues.join(", ")}`);
  }
  const { MESS_SECRET: current, MESS_SECRET_PREVIOUS: previous = "" } = read.data;
  const config: Config = {
    secret: previous === "" || previous === current ? current : [current, previous],
    operatorKey: read.data.MESS_OPERATOR_KEY,
    origin: read.data.PUBLIC_ORIGIN,
    loopback: read.data.EGRESS_LOOPBACK === "allow",
    limits: resolveLimits(read.data.LIMITS),
  };
  configByEnv.set(env, { config, given });
  return config;
}
