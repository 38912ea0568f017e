/** Calls an app as Slack does: signed, at its request URL, and again after a failure. */

/** The parts of a request to the app; all that is absent is as Slack would send it. */
export interface SlackCall {
  /** A request URL that replaces the app's. */
  readonly hook?: string;
  /** Signs with this secret instead. */
  readonly secret?: string;
  /** Time of the signature, in seconds since 1970. */
  readonly timestamp?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  /** Number of earlier attempts. */
  readonly retry?: number;
}

const encoder = new TextEncoder();

/** Slack's signature of a request. */
export async function signSlack(
  secret: string,
  timestamp: number | string,
  body: string,
): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const mac = await crypto.subtle.sign("HMAC", key, encoder.encode(`v0:${timestamp}:${body}`));
  const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0"));
  return `v0=${hex.join("")}`;
}

export interface CallerOptions {
  readonly signingSecret: string;
  readonly hook?: string | undefined;
  readonly deliver: (request: Request) => Promise<Response>;
}

/** Calls the app with a body of the given type. */
export function createSlackCaller({ signingSecret, hook: usual, deliver }: CallerOptions) {
  /** Sends one request to the app, and repeats it after a failure. */
  async function callHook(
    body: string,
    type: string,
    call: SlackCall,
    retries: readonly number[],
  ): Promise<Response> {
    const { secret = signingSecret, tamper = (text: string) => text, retry = 0 } = call;
    const hook = call.hook ?? usual;
    if (hook === undefined) throw new Error("the app has no request URL");
    const timestamp = call.timestamp ?? Math.floor(Date.now() / 1_000);
    const response = await deliver(
      new Request(hook, {
        method: "POST",
        headers: {
          "Content-Type": type,
          "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
          "X-Slack-Request-Timestamp": String(timestamp),
          "X-Slack-Signature": await signSlack(secret, timestamp, body),
          ...(retry === 0
            ? {}
            : { "X-Slack-Retry-Num": String(retry), "X-Slack-Retry-Reason": "http_error" }),
        },
        body: tamper(body),
      }),
    );
    const [wait, ...more] = retries;
    if (response.ok || wait === undefined) return response;
    await new Promise((resolve) => setTimeout(resolve, wait));
    return await callHook(body, type, { ...call, retry: retry + 1 }, more);
  }

  return callHook;
}
