/** `/api/v1/hooks/secret`: the secret that signs the calls of lifecycle hooks. */
import { deriveWebhookSecret } from "../../../../auth/callbacks/webhook-signatures.ts";
import { getCurrent } from "../../../../auth/worker-secret.ts";
import { HOOKS_SIGNER } from "../../../../channels/webhook/send-hook.ts";
import { getConfig } from "../../../../config.ts";
import { ok } from "../../../../mess/result.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";

async function readHookSecret({ env, principal }: HttpCall): HandlerPromise {
  const current = getCurrent(getConfig(env).secret);
  return ok({
    body: { secret: await deriveWebhookSecret(current, principal.household, HOOKS_SIGNER) },
  });
}

export const hookRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/hooks/secret",
    access: "owner",
    summary: "The secret that signs the calls of lifecycle hooks without a secret of their own",
    handle: readHookSecret,
  }),
];
