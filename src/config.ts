/** Vars and secrets of the Worker: checked once, typed, read by nobody else. */
import * as z from "zod";

const schema = z.object({
  MESS_SECRET: z.string().min(32),
  MESS_OPERATOR_KEY: z.string().min(16),
});

export interface Config {
  /** Signs links, and derives every other key of the exchange. */
  secret: string;
  /** Opens the making of households. */
  operatorKey: string;
}

const checked = new WeakMap<object, Config>();

/** Throws where a secret is missing or short: such a deployment must not answer anything. */
export function configOf(env: Pick<Env, "MESS_SECRET" | "MESS_OPERATOR_KEY">): Config {
  const known = checked.get(env);
  if (known) return known;
  const read = schema.safeParse(env);
  if (!read.success) {
    const faults = read.error.issues.map(({ path, code }) => `${path.join(".")} (${code})`);
    throw new Error(`secrets missing or too short: ${faults.join(", ")}`);
  }
  const config = { secret: read.data.MESS_SECRET, operatorKey: read.data.MESS_OPERATOR_KEY };
  checked.set(env, config);
  return config;
}
