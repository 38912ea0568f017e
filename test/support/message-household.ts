/** A household of a started exchange with a message source, to which the test posts messages as an outside service. */
import { randomBytes } from "node:crypto";
import { createClient, type Client } from "../../scripts/lib/client.ts";
import { signWebhookHeaders } from "./sign-webhook.ts";

export interface MessageHousehold {
  owner: Client;
  /** Key of an agent with all paths of message sources. */
  secretaryKey: string;
  /** Posts a message to the source `mail`; returns its id. */
  deliver: (subject: string, text: string) => Promise<string>;
}

interface Ready {
  origin: string;
  household: string;
  keys: { owner: string };
}

/** @param rules that decide before the agent that classifies */
export async function openMessageHousehold(
  { origin, household, keys }: Ready,
  rules: readonly object[] = [],
): Promise<MessageHousehold> {
  const owner = createClient(origin, keys.owner);
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const map = { sender: "sender", subject: "subject", body: "text" };
  const mail = { kind: "webhook", secret, map, url: "https://answers.example.org/hook" };
  const messages = { classifier: { kind: "agent" }, rules };
  await owner.post("/api/v1/config", { config: { sources: { mail }, messages } });
  const paths = ["msg", "msg/*/outbox", "msg/classify"];
  const made = await owner.post<{ key: string }>("/api/v1/keys", {
    actor: "secretary",
    role: "agent",
    paths,
  });
  let count = 0;
  const deliver = async (subject: string, text: string): Promise<string> => {
    const id = `message-${++count}`;
    const body = JSON.stringify({ subject, text, sender: "ann@elsewhere.test" });
    const response = await fetch(`${origin}/hooks/sources/${household}/mail`, {
      method: "POST",
      body,
      headers: signWebhookHeaders(secret, id, body),
    });
    const answer = (await response.json()) as { messages?: { id: string }[] };
    const [received] = answer.messages ?? [];
    if (!received) throw new Error(`the source refused the message: ${JSON.stringify(answer)}`);
    return received.id;
  };
  return { owner, secretaryKey: made.key, deliver };
}
