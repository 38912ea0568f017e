/** The common parts of the tools for message sources: parameters, results, and the source of a call. */
import * as z from "zod";
import type { Principal } from "../../../../auth/principal.ts";
import { callSources } from "../../../../exchange/source-calls/with-source.ts";
import type { ExchangeBindings } from "../../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { findMember, type McpCaller } from "../../caller.ts";
import { outputTextSchema } from "../../results/output-text.ts";

export const sourceSchema = boundedTextSchema(SOURCE_LIMITS.nameChars)
  .min(1)
  .optional()
  .describe("Default: the only one");
export const idSchema = boundedTextSchema(LIMITS.nameChars).min(1);
export const cursorSchema = boundedTextSchema(1_024).min(1).optional();

/** The listed schema names only the field on which a client can rely. */
export const messageOutputSchema = z.looseObject({ text: outputTextSchema });

/** The household and the source of a call. */
export interface Target {
  principal: Principal;
  source: string;
}

/** The named source, or the only one that the caller may read. */
export async function findSource(
  env: ExchangeBindings,
  caller: McpCaller,
  exchange: string | undefined,
  source: string | undefined,
): Promise<Outcome<Target>> {
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const principal = member.value;
  if (source !== undefined) return ok({ principal, source });
  const listed = await callSources(env, principal, (sources) => sources.list(principal));
  if (!listed.ok) return listed;
  const [only, ...others] = listed.value.map(({ name }) => name);
  if (only !== undefined && others.length === 0) return ok({ principal, source: only });
  return only === undefined
    ? refuse(
        "missing_field",
        "source is missing, and you can read none",
        "Name the source; its owner knows the name.",
        { path: "source" },
      )
    : refuse("missing_field", "source is missing", "Name one of your sources.", {
        path: "source",
        valid: [only, ...others],
      });
}
