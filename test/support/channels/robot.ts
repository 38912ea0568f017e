/**
 * A robot behind a webhook, built with the library of Standard Webhooks: it verifies calls, responds by script, and
 * calls back. It handles web requests, so it runs in any runtime; `robot-server.ts` serves it on a port.
 */
import { Webhook } from "standardwebhooks";

/** A call of the exchange whose signature was valid. */
export interface ReceivedHook {
  /** The header `webhook-id`. */
  readonly id: string;
  /** The header `mess-event`: task.offered, … */
  readonly event: string;
  readonly ref: string;
  readonly type: string;
  readonly body: string;
  /** The body, if it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
  readonly callback: { readonly url: string; readonly token: string } | undefined;
  readonly headers: Headers;
}

/** The robot's response to one call. */
export type Answer =
  | "ok"
  | "gone"
  | "busy"
  | "broken"
  | "redirect"
  | "huge"
  | "garbage"
  /** Closes the connection without a response. */
  | "crash"
  | ((hook: ReceivedHook) => Response | Promise<Response>);

export interface RobotOptions {
  /** The secret of its executor: `whsec_…`. */
  readonly secret: string;
  /** Sends its calls to the exchange; default: `fetch`. */
  readonly deliver?: (request: Request) => Promise<Response>;
}

export interface RobotCallback {
  /** The message, in YAML or JSON. */
  readonly message: string | object;
  /** The address; default: the callback of the last call. */
  readonly url?: string;
  readonly id?: string;
  /** Time of the signature, in milliseconds since 1970. */
  readonly at?: number;
  /** Signs with this secret instead of its own. */
  readonly secret?: string;
  /** Sends this token instead of a signature. */
  readonly token?: string;
  readonly files?: readonly File[];
  /** Changes the request after it was signed; bytes that it returns replace the body. */
  readonly tamper?: (request: { headers: Headers; body: Uint8Array }) => unknown;
}

export type Robot = ReturnType<typeof createRobot>;

const HUGE_BYTES = 10 * 1024 * 1024;

const ANSWERS: Readonly<
  Record<Exclude<Answer, "crash" | ((hook: ReceivedHook) => unknown)>, () => Response>
> = {
  ok: () => new Response(null, { status: 204 }),
  gone: () => new Response("gone", { status: 410 }),
  busy: () => new Response("later", { status: 429, headers: { "Retry-After": "7" } }),
  broken: () => new Response("<h1>Traceback</h1>", { status: 500 }),
  redirect: () => new Response(null, { status: 302, headers: { Location: "/elsewhere" } }),
  huge: () =>
    new Response(new Uint8Array(HUGE_BYTES).fill(97), {
      headers: { "Content-Type": "application/yaml" },
    }),
  garbage: () =>
    new Response(Uint8Array.of(0xff, 0xfe, 0, 1), {
      headers: { "Content-Type": "application/json" },
    }),
};

/** Base64 of HMAC-SHA-256 by WebCrypto: the library signs text only, but a form with a photo is binary. */
async function signBytes(secret: string, lead: string, body: Uint8Array): Promise<string> {
  const raw = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (sign) => sign.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const whole = new Blob([new TextEncoder().encode(lead), body as Uint8Array<ArrayBuffer>]);
  const mac = await crypto.subtle.sign("HMAC", key, await whole.arrayBuffer());
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

export function createRobot({ secret, deliver = fetch }: RobotOptions) {
  const hooks: ReceivedHook[] = [];
  const forged: string[] = [];
  const script: Answer[] = [];
  const files = new Map<string, { type: string; bytes: Uint8Array }>();

  async function handle(request: Request): Promise<Response> {
    const file = files.get(new URL(request.url).pathname);
    if (file && request.method === "GET")
      return new Response(file.bytes as Uint8Array<ArrayBuffer>, {
        headers: { "Content-Type": file.type },
      });
    const body = new TextDecoder().decode(await request.arrayBuffer());
    try {
      new Webhook(secret).verify(body, Object.fromEntries(request.headers), { jsonParse: false });
    } catch (error) {
      forged.push(String(error));
      return new Response("bad signature", { status: 401 });
    }
    const hook = parseHook(request.headers, body);
    hooks.push(hook);
    const answer = script.shift() ?? "ok";
    if (answer === "crash") throw new Error("the robot fell over");
    return typeof answer === "function" ? await answer(hook) : ANSWERS[answer]();
  }

  /** Sends a message to the exchange, signed unless a token is given. */
  async function callBack(call: RobotCallback): Promise<Response> {
    const { headers, body } = await readBody(call);
    const url = call.url ?? hooks.at(-1)?.callback?.url;
    if (url === undefined) throw new Error("the robot knows no address to call back");
    const id = call.id ?? crypto.randomUUID();
    const at = Math.floor((call.at ?? Date.now()) / 1_000);
    headers.set("webhook-id", id);
    if (call.token === undefined) {
      headers.set("webhook-timestamp", String(at));
      headers.set(
        "webhook-signature",
        await signBytes(call.secret ?? secret, `${id}.${at}.`, body),
      );
    } else headers.set("Authorization", `Bearer ${call.token}`);
    const tampered = call.tamper?.({ headers, body });
    const sent = tampered instanceof Uint8Array ? tampered : body;
    return await deliver(
      new Request(url, { method: "POST", headers, body: sent as Uint8Array<ArrayBuffer> }),
    );
  }

  return {
    hooks,
    /** Calls with an invalid signature. */
    forged,
    /** The next responses, one for each call; `ok` if none is left. */
    script,
    /** Files that it serves, by path. */
    files,
    handle,
    callBack,
    /** The calls about one thread. */
    about: (ref: string): ReceivedHook[] => hooks.filter((hook) => hook.ref === ref),
  };
}

function parseHook(headers: Headers, body: string): ReceivedHook {
  const type = (headers.get("content-type") ?? "").split(";")[0]!;
  const json = type === "application/json" ? JSON.parse(body) : undefined;
  const url = headers.get("mess-callback");
  const token = headers.get("mess-callback-token");
  return {
    id: headers.get("webhook-id") ?? "",
    event: headers.get("mess-event") ?? "",
    ref: headers.get("mess-ref") ?? "",
    type,
    body,
    json,
    callback: url !== null && token !== null ? { url, token } : undefined,
    headers,
  };
}

async function readBody({
  message,
  files,
}: RobotCallback): Promise<{ headers: Headers; body: Uint8Array }> {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  const type = typeof message === "string" ? "application/yaml" : "application/json";
  if (!files)
    return { headers: new Headers({ "Content-Type": type }), body: new TextEncoder().encode(text) };
  const form = new FormData();
  form.append("message", text);
  for (const file of files) form.append("file", file);
  const made = new Response(form);
  return {
    headers: new Headers({ "Content-Type": made.headers.get("Content-Type") ?? "" }),
    body: new Uint8Array(await made.arrayBuffer()),
  };
}
