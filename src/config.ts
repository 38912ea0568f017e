/** Vars and secrets of the Worker: checked once, typed, read by nobody else. */
import * as z from "zod";

/** An origin alone: `https://mess.example.org`. Empty is none. */
const originSchema = z
  .string()
  .trim()
  .transform((text) => text.replace(/\/$/, ""))
  .refine((text) => text === "" || (URL.canParse(text) && new URL(text).origin === text))
  .transform((text) => (text === "" ? undefined : text));

const configSchema = z.object({
  MESS_SECRET: z.string().min(32),
  MESS_OPERATOR_KEY: z.string().min(16),
  PUBLIC_ORIGIN: originSchema.optional(),
  EGRESS_LOOPBACK: z.enum(["allow", "deny"]).default("deny"),
});

export interface Config {
  /** Signs links, and derives every other key of the exchange. */
  secret: string;
  /** Opens the making of households. */
  operatorKey: string;
  /** Where links in notices lead. Without it notices carry none. */
  origin: string | undefined;
  /** Channels may reach this machine: for local exchanges and tests alone. */
  loopback: boolean;
}

const configByEnv = new WeakMap<object, Config>();

type Vars = Pick<Env, "MESS_SECRET" | "MESS_OPERATOR_KEY"> &
  Partial<Record<"PUBLIC_ORIGIN" | "EGRESS_LOOPBACK", string>>;

/** Throws where a secret is missing or short, or a var is wrong: such a deployment must not answer anything. */
export function getConfig(env: Vars): Config {
  const known = configByEnv.get(env);
  if (known) return known;
  const read = configSchema.safeParse(env);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, code }) => `${path.join(".")} (${code})`);
    throw new Error(`vars or secrets missing or wrong: ${issues.join(", ")}`);
  }
  const config = {
    secret: read.data.MESS_SECRET,
    operatorKey: read.data.MESS_OPERATOR_KEY,
    origin: read.data.PUBLIC_ORIGIN,
    loopback: read.data.EGRESS_LOOPBACK === "allow",
  };
  configByEnv.set(env, config);
  return config;
}
