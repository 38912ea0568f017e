/** Calls a lifecycle hook of a household: signed like the webhooks of executors (Standard Webhooks). */
import { deriveWebhookSecret, signWebhook } from "../../auth/callbacks/webhook-signatures.ts";
import { listAccepted } from "../../auth/worker-secret.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import {
  fillBody,
  fillHeader,
  fillUrl,
  hasFixedOrigin,
  type Hook,
  type HookVariables,
} from "../../mess/config/hooks.ts";

/** Stands for the household in the derivation of the secret. No member can have this id. */
export const HOOKS_SIGNER = "*hooks";

const GONE_STATUS = 410;

export interface HookCall {
  household: string;
  /** `webhook-id`, the same at every attempt. */
  id: string;
  /** With its secrets in plain text. */
  hook: Hook;
  variables: HookVariables;
}

/** Resolves with `refused` where another attempt is useless: the receiver is gone, or the address not allowed. */
export async function sendHook(
  env: Pick<Env, "MESS_SECRET" | "MESS_OPERATOR_KEY">,
  { household, id, hook, variables }: HookCall,
): Promise<"accepted" | "refused" | "failed"> {
  const { loopback, origin, secret } = getConfig(env);
  const { url, headers = {}, body, secret: own } = hook;
  if (!hasFixedOrigin(url)) return "refused";
  const secrets =
    own === undefined
      ? await Promise.all(
          listAccepted(secret).map((one) => deriveWebhookSecret(one, household, HOOKS_SIGNER)),
        )
      : [own];
  const bytes = new TextEncoder().encode(
    JSON.stringify(fillBody(body ?? { ...variables }, variables)),
  );
  const ownHeaders = Object.entries(headers).map(([name, text]) => [
    name,
    fillHeader(text, variables),
  ]);
  const response = await createEgress({ loopback, origin }).send(fillUrl(url, variables), {
    method: "POST",
    headers: {
      ...(Object.fromEntries(ownHeaders) as Record<string, string>),
      "content-type": "application/json",
      "mess-event": `request.${variables["event"] ?? ""}`,
      "mess-ref": variables["ref"] ?? "",
      ...(await signWebhook(secrets, id, Date.now(), bytes)),
    },
    body: bytes,
  });
  if (!response.ok) return response.error.code === "bad_field" ? "refused" : "failed";
  const { status } = response.value;
  if (status >= 200 && status < 300) return "accepted";
  return status === GONE_STATUS ? "refused" : "failed";
}
