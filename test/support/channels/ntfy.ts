/**
 * A local ntfy server: topics that accept JSON without credentials, and messages that replace others of their sequence.
 */
import { type Fault, FaultQueue } from "../fault-injection.ts";

export interface NtfyMessage {
  readonly id: string;
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
  readonly priority: number;
  readonly click?: string;
  readonly actions?: readonly { action: string; label: string; url: string }[];
  /** The id of the message that it replaces. */
  readonly sequence_id?: string;
}

const MAX_MESSAGE_BYTES = 4_096;

export function createNtfy(options: { token?: string } = {}) {
  const faults = new FaultQueue();
  const messages: NtfyMessage[] = [];

  const refuse = (http: number, code: number, error: string, headers = {}): Response =>
    Response.json({ code, http, error }, { status: http, headers });

  async function handle(request: Request): Promise<Response> {
    const fault = faults.take();
    if (fault)
      return refuse(
        fault.status,
        fault.code ?? 0,
        "fault",
        fault.wait === undefined ? {} : { "Retry-After": String(fault.wait) },
      );
    if (options.token !== undefined) {
      if (request.headers.get("Authorization") !== `Bearer ${options.token}`)
        return refuse(403, 40_301, "forbidden");
    }
    // Only the root accepts JSON; the address of a topic takes the body as text.
    if (new URL(request.url).pathname !== "/") return refuse(404, 40_401, "page not found");
    const text = await request.text();
    let body: Partial<NtfyMessage>;
    try {
      body = JSON.parse(text) as Partial<NtfyMessage>;
    } catch {
      return refuse(400, 40_024, "invalid request: request body must be message JSON");
    }
    const { topic = "", priority = 3 } = body;
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(topic)) return refuse(400, 40_009, "invalid topic");
    if (priority < 1 || priority > 5) return refuse(400, 40_007, "invalid priority");
    // Real servers convert a longer message to an attached file.
    if (new TextEncoder().encode(body.message ?? "").byteLength > MAX_MESSAGE_BYTES)
      return refuse(413, 41_301, "message too large");
    const message: NtfyMessage = {
      ...body,
      id: `ntfy${messages.length + 1}`,
      topic,
      priority,
      message: body.message ?? "triggered",
    };
    messages.push(message);
    return Response.json({ ...message, time: 1, expires: 2, event: "message" });
  }

  return {
    /** All published messages, oldest first. */
    messages,
    handle,
    fail: (...next: Fault[]): void => faults.add(...next),
    /** Applies the fault to every request until `endOutage` is called. */
    outage: faults.outage,
    endOutage: faults.endOutage,
    /** The messages that a phone shows: the newest of each sequence. */
    shown: (topic: string): NtfyMessage[] =>
      messages.filter(
        ({ id, sequence_id, topic: where }, at) =>
          where === topic &&
          !messages.slice(at + 1).some((one) => one.sequence_id === (sequence_id ?? id)),
      ),
  };
}
