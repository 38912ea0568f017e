/**
 * A language model behind the two wire formats of classifiers. It checks requests as strictly as the services do, and
 * answers by script. It handles web requests, so it runs in any runtime.
 */

/** A request that the service accepted. */
export interface ClassifierRequest {
  readonly format: "openai" | "anthropic";
  readonly model: string;
  readonly system: string;
  readonly user: string;
}

/** A verdict's text, or another answer of the service. */
export type ClassifierScript = string | Response;

export interface ScriptedClassifierOptions {
  readonly apiKey: string;
  /** Called for each request. It may throw to close the connection, or never resolve. */
  readonly answer: (request: ClassifierRequest) => ClassifierScript | Promise<ClassifierScript>;
}

export type ScriptedClassifier = ReturnType<typeof createScriptedClassifier>;

const refuse = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "invalid_request_error" } }, { status });

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

interface ChatMessage {
  role?: unknown;
  content?: unknown;
}

function readChat(body: Record<string, unknown>): readonly ChatMessage[] | undefined {
  const { messages } = body;
  return Array.isArray(messages) ? (messages as ChatMessage[]) : undefined;
}

const FORMATS = {
  "/v1/chat/completions": {
    format: "openai",
    getKey: (headers: Headers) => /^Bearer (.+)$/.exec(headers.get("Authorization") ?? "")?.[1],
    /** Undefined for a request that the service refuses. */
    read: (body: Record<string, unknown>) => {
      const chat = readChat(body);
      const known = ["model", "messages", "temperature", "max_tokens", "max_completion_tokens"];
      if (!chat || Object.keys(body).some((key) => !known.includes(key))) return undefined;
      const [system, user] = chat;
      if (chat.length !== 2 || system?.role !== "system" || user?.role !== "user") return undefined;
      return { system: system.content, user: user.content };
    },
    write: (text: string, model: string) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: text, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    }),
  },
  "/v1/messages": {
    format: "anthropic",
    getKey: (headers: Headers) =>
      headers.get("anthropic-version") === "2023-06-01"
        ? (headers.get("x-api-key") ?? undefined)
        : undefined,
    read: (body: Record<string, unknown>) => {
      const chat = readChat(body);
      const { system, max_tokens } = body;
      if (!chat || chat.length !== 1 || chat[0]?.role !== "user") return undefined;
      return typeof max_tokens === "number" ? { system, user: chat[0].content } : undefined;
    },
    write: (text: string, model: string) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 20 },
    }),
  },
} as const;

export function createScriptedClassifier({ apiKey, answer }: ScriptedClassifierOptions) {
  const requests: ClassifierRequest[] = [];
  const calls = { inFlight: 0, most: 0 };

  async function handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const format = Object.hasOwn(FORMATS, path) ? FORMATS[path as keyof typeof FORMATS] : undefined;
    if (request.method !== "POST" || !format) return refuse(404, "no such path");
    if (format.getKey(request.headers) !== apiKey) return refuse(401, "bad key");
    const body = (await request.json().catch(() => ({}))) as Record<string, unknown>;
    const read = format.read(body);
    const { model } = body;
    if (!read || !isText(model) || !isText(read.system) || !isText(read.user))
      return refuse(400, "bad request");
    const { system, user } = read;
    const accepted = { format: format.format, model, system, user };
    requests.push(accepted);
    calls.inFlight++;
    calls.most = Math.max(calls.most, calls.inFlight);
    try {
      const script = await answer(accepted);
      if (script instanceof Response) return script;
      return Response.json(format.write(script, model));
    } finally {
      calls.inFlight--;
    }
  }

  return { handle, requests, calls };
}

/** The message in a prompt, without the examples before it. */
export function readPromptedMessage({ user }: Pick<ClassifierRequest, "user">): string {
  const start = user.lastIndexOf("<<<", user.lastIndexOf("<<<end ") - 1);
  return user.slice(user.indexOf("\n", start) + 1, user.lastIndexOf("\n<<<end "));
}
