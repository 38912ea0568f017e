/** `/api/v1/config`: the household's configuration as a file that can be exported and imported. */
import { configureHousehold } from "../../../../exchange/source-calls/configure-household.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { mergeConfigDocuments } from "../../../../mess/config/config-file.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { parseWithSchema, readBodyDocuments, TEXT_TYPES } from "../../request-body.ts";
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

/** Imports a config.yaml, which capability entries may follow as further YAML documents, or the output of `readConfig`. */
async function importConfig(call: HttpCall): HandlerPromise {
  const documents = await readBodyDocuments(call.request, LIMITS.textBytes);
  if (!documents.ok) return documents;
  const merged = mergeConfigDocuments(documents.value);
  if (!merged.ok) return merged;
  const body = parseWithSchema(configBodySchema, merged.value, "bad_field");
  if (!body.ok) return body;
  const done = await configureHousehold(call.env, call.principal, body.value);
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
      description:
        "A config.yaml; capability entries may follow as further YAML documents. Or the response of GET",
      types: TEXT_TYPES,
      schema: configBodySchema,
    },
    handle: importConfig,
  }),
];
