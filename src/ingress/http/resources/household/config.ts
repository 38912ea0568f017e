/** `/api/v1/config`: the household's configuration as a file that can be exported and imported. */
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { isMap, type Json } from "../../../../mess/json.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const configBodySchema = z.record(boundedTextSchema(LIMITS.keyChars), z.json());

async function readConfig({ env, principal }: HttpCall): HandlerPromise {
  return ok({
    body: {
      config: await getHouseholdStub(env, principal.household).settings.exportConfiguration(),
    },
  });
}

/** Returns the output of `readConfig`, or the value of its only key: a config.yaml. */
async function putConfig(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, configBodySchema, LIMITS.textBytes);
  if (!body.ok) return body;
  const { config, ...others } = body.value as Record<string, Json>;
  const whole = isMap(config) && Object.keys(others).length === 0 ? config : body.value;
  const { settings } = getHouseholdStub(call.env, call.principal.household);
  const done = await settings.configure(whole, toAuditSource(call.principal));
  return done.ok ? ok({ body: { warnings: done.value.warnings } }) : done;
}

export const configRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/config",
    access: "owner",
    summary: "The household's configuration; secrets are shown as ${NAME}",
    handle: readConfig,
  }),
  defineMemberRoute({
    method: "post",
    path: "/api/v1/config",
    access: "owner",
    summary: "Import a configuration file; same effect as a config message",
    body: {
      description: "A config.yaml, or the response of GET",
      types: TEXT_TYPES,
      schema: configBodySchema,
    },
    handle: putConfig,
  }),
];
