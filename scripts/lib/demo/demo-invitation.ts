/** After the demo: a request for the person at the terminal, who answers it through a link. */
import { createClient } from "../client.ts";
import { DEMO_PHONE_ID } from "./demo-household.ts";
import type { ReadyFile } from "../exchange/exchange.ts";

const INTENT = "is a window open in the room you are in?";
const LINK_LIFETIME = "2h";

interface Thread {
  envelope: { status: string };
  messages: { from: string; MESS: Record<string, { content?: unknown[] }>[] }[];
  cursor: number;
}

export interface Invitation {
  intent: string;
  ref: string;
  /** Opens the request as the demo household's person. */
  link: string;
}

/** Sends another request and creates a link to it. */
export async function createInvitation(
  { origin, keys }: ReadyFile,
  signal: AbortSignal,
): Promise<Invitation> {
  const agent = createClient(origin, keys.agent, signal);
  const { ref = "" } = await agent.mess(
    `MESS: [{ request: { intent: "${INTENT}", requires: [check-visual], coalesce: false } }]`,
  );
  const { short_url } = await agent.post<{ short_url: string }>(`/mess/${ref}/links`, {
    executor: DEMO_PHONE_ID,
    expires: LINK_LIFETIME,
  });
  return { intent: INTENT, ref, link: short_url };
}

/** Resolves with the texts of the answer when the request is completed; empty where it ends otherwise. */
export async function waitForAnswer(
  { origin, keys }: ReadyFile,
  { ref }: Invitation,
  signal: AbortSignal,
): Promise<string[]> {
  const agent = createClient(origin, keys.agent, signal);
  let thread = await agent.get<Thread>(`/mess/${ref}`);
  const isOpen = () => !["completed", "declined", "expired", "cancelled"].includes(status());
  const status = () => thread.envelope.status;
  while (isOpen()) {
    await agent.get(`/mess/${ref}/wait?cursor=${thread.cursor}&timeout=45`);
    thread = await agent.get<Thread>(`/mess/${ref}`);
  }
  if (status() !== "completed") return [];
  return thread.messages
    .flatMap(({ MESS }) => MESS.flatMap((block) => block["response"]?.content ?? []))
    .map((entry) => (typeof entry === "string" ? `"${entry}"` : "a file"));
}
