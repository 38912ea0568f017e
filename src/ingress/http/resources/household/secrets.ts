/** `/api/v1/secrets`: credentials of channels. Values are write-only. */
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { log } from "../../../../log.ts";
import { ok } from "../../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const secretBodySchema = z.strictObject({ value: boundedTextSchema(8_192).min(1) });

async function putSecret(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, secretBodySchema);
  if (!body.ok) return body;
  const { household } = call.principal;
  const stub = getHouseholdStub(call.env, household);
  const put = await stub.secrets.putSecret(
    call.param("name"),
    body.value.value,
    toAuditSource(call.principal),
  );
  if (!put.ok) return put;
  log("secret_put", { household, name: put.value.name });
  return ok({ body: { secret: put.value } });
}

async function listSecrets({ env, principal }: HttpCall): HandlerPromise {
  return ok({
    body: { secrets: await getHouseholdStub(env, principal.household).secrets.listSecrets() },
  });
}

async function removeSecret(call: HttpCall): HandlerPromise {
  const { household } = call.principal;
  const name = call.param("name");
  const { secrets } = getHouseholdStub(call.env, household);
  const removed = await secrets.removeSecret(name, toAuditSource(call.principal));
  if (!removed.ok) return removed;
  log("secret_removed", { household, name });
  return ok({ body: { removed: name } });
}

export const secretRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "put",
    path: "/api/v1/secrets/{name}",
    access: "owner",
    summary: "Set a secret that config messages refer to as ${NAME}",
    description:
      "The value is stored encrypted and never shown again. Channels use the new value from the next message on.",
    body: { description: "The secret", types: TEXT_TYPES, schema: secretBodySchema },
    handle: putSecret,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/secrets",
    access: "owner",
    summary: "Names and dates of the secrets, with fingerprints that are equal for equal values",
    handle: listSecrets,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/secrets/{name}",
    access: "owner",
    summary: "Remove a secret; channels that refer to it stop sending",
    handle: removeSecret,
  }),
];
