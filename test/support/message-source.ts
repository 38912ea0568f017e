/** A message source in the household of a started exchange: signed webhooks come in, approved drafts go to a local server. */
import { randomBytes } from "node:crypto";
import { signWebhook } from "../../src/auth/callbacks/webhook-signatures.ts";
import { serveLocally } from "./local-servers/serve.ts";
import type { RespondStage } from "./respond-setup.ts";

interface IncomingFields {
  from: string;
  subject: string;
  text: string;
}

export interface TestMessageSource {
  name: string;
  /** Messages that the exchange has sent, in order. */
  sent: { subject?: string; body: string }[];
  /** @returns the id of the stored message */
  receive: (fields: IncomingFields) => Promise<string>;
  draft: (message: string, body: string) => Promise<{ id: string; digest: string }>;
  revise: (draft: string, body: string, revision: number) => Promise<void>;
  stop: () => Promise<void>;
}

export async function createMessageSource(
  { stack, owner, origin }: RespondStage,
  name: string,
): Promise<TestMessageSource> {
  const sent: TestMessageSource["sent"] = [];
  const server = await serveLocally(async (request) => {
    const { data } = (await request.json()) as { data: TestMessageSource["sent"][number] };
    sent.push(data);
    return new Response("ok");
  });
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const source = {
    kind: "webhook",
    title: `Shop ${name}`,
    secret,
    url: `${server.origin}/${name}`,
    map: { sender: "from", subject: "subject", body: "text" },
  };
  await owner.post("/mess", { MESS: [{ config: { sources: { [name]: source } } }] });
  return {
    name,
    sent,
    receive: async (fields) => {
      const body = new TextEncoder().encode(JSON.stringify(fields));
      const signed = await signWebhook(secret, crypto.randomUUID(), Date.now(), body);
      const response = await fetch(`${origin}/hooks/sources/home/${name}`, {
        method: "POST",
        headers: { ...signed, "Content-Type": "application/json" },
        body,
      });
      const { messages } = (await response.json()) as { messages: { id: string }[] };
      return messages[0]!.id;
    },
    draft: async (message, body) => await owner.post(`/sources/${name}/drafts`, { message, body }),
    revise: async (draft, body, revision) => {
      const response = await fetch(`${origin}/sources/${name}/drafts/${draft}`, {
        method: "PATCH",
        headers: {
          Authorization: `Bearer ${stack.ready.keys.owner}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ body, revision }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    stop: server.stop,
  };
}
