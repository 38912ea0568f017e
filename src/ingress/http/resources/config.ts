/** `/api/v1/config`: what config messages have set, as a file that can be kept and taken in again. */
import { householdStub } from "../../../stubs.ts";
import * as z from "zod";
import { isMap, type Json } from "../../../mess/json.ts";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../request-body.ts";
import { type HttpCall, type HandlerPromise, memberRoute, type HttpRoute } from "../route.ts";

const configBodySchema = z.record(boundedText(LIMITS.keyChars), z.json());

async function readConfig({ env, principal }: HttpCall): HandlerPromise {
  return ok({
    body: { config: await householdStub(env, principal.household).exportConfiguration() },
  });
}

/** The file as `readConfig` gives it, or what stands under its one key: a config.yaml. */
async function putConfig(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, configBodySchema, LIMITS.textBytes);
  if (!body.ok) return body;
  const { config, ...others } = body.value as Record<string, Json>;
  const whole = isMap(config) && Object.keys(others).length === 0 ? config : body.value;
  const { household, actor } = call.principal;
  const done = await householdStub(call.env, household).configure(whole, actor);
  return done.ok ? ok({ body: { warnings: done.value.warnings } }) : done;
}

export const configRoutes: readonly HttpRoute[] = [
  memberRoute({
    method: "get",
    path: "/api/v1/config",
    access: "owner",
    summary: "Everything that config messages have set; secrets as ${NAME}",
    handle: readConfig,
  }),
  memberRoute({
    method: "post",
    path: "/api/v1/config",
    access: "owner",
    summary: "Take in a configuration file, as a config message does",
    body: {
      description: "A config.yaml, or what GET answers",
      types: TEXT_TYPES,
      schema: configBodySchema,
    },
    handle: putConfig,
  }),
];
