/** How Slack calls an app: at its request URL, signed, and again where it is not taken. */

/** How a request to the app is made; what is not given is as Slack makes it. */
export interface SlackCall {
  /** Another request URL than the app's. */
  readonly hook?: string;
  /** Signs with another secret. */
  readonly secret?: string;
  /** Seconds since 1970 at which it was signed. */
  readonly timestamp?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  /** How often it was tried before. */
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

/** Calls the app with a body of the type. */
export function createSlackCaller({ signingSecret, hook: usual, deliver }: CallerOptions) {
  /** One request to the app, and those that follow where it is not taken. */
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
