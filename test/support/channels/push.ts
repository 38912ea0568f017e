/**
 * A local push service with its browsers: accepts messages (RFC 8030), verifies their signatures (RFC 8292) and
 * decrypts them with the browser's keys (RFC 8291). It uses web APIs only, so it also runs beside the Worker.
 */
import { defined } from "../../../src/mess/defined.ts";
import { importJWK, jwtVerify } from "jose";

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

export interface PushedMessage {
  /** The browser to which it was sent. */
  browser: string;
  /** The data that the service worker gets. */
  note: Record<string, unknown>;
  ttl: number;
  urgency: string;
  topic: string;
  /** The contact that the sender gave. */
  subject: string | undefined;
  /** Bytes of the encrypted message. */
  size: number;
}

interface Subscriber {
  keys: CryptoKeyPair;
  raw: Uint8Array<ArrayBuffer>;
  auth: Uint8Array<ArrayBuffer>;
  /** The public key with which the browser subscribed; messages signed with another key are refused. */
  key: string;
  answer: { status: number; headers?: Record<string, string> };
}

const encodeBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  const signs = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  return bytes;
}

/** @param origin the address of the service */
export function createPushService(origin = "https://push.example") {
  const subscribers = new Map<string, Subscriber>();
  const messages: PushedMessage[] = [];
  let home = origin;

  /** Subscribes a browser with the household's public key; returns it as `PushSubscription.toJSON()` would. */
  async function subscribe(browser: string, key: string) {
    // The types of workers and browsers differ here.
    const made: unknown = await crypto.subtle.generateKey(CURVE, true, ["deriveBits"]);
    const keys = made as CryptoKeyPair;
    const exported: unknown = await crypto.subtle.exportKey("raw", keys.publicKey);
    const raw = new Uint8Array(exported as ArrayBuffer);
    const auth = crypto.getRandomValues(new Uint8Array(16));
    subscribers.set(browser, { keys, raw, auth, key, answer: { status: 201 } });
    return {
      endpoint: `${home}/push/${browser}`,
      keys: { p256dh: encodeBase64url(raw), auth: encodeBase64url(auth) },
    };
  }

  /** Sets the response of the service for this browser. */
  function answer(browser: string, status: number, headers: Record<string, string> = {}): void {
    subscribers.get(browser)!.answer = { status, headers };
  }

  async function handle(request: Request): Promise<Response> {
    const browser = /^\/push\/([\w-]+)$/.exec(new URL(request.url).pathname)?.[1] ?? "";
    const subscriber = subscribers.get(browser);
    if (!subscriber || request.method !== "POST") return new Response(null, { status: 404 });
    const subject = await authenticateSender(request, subscriber.key);
    if (subject instanceof Response) return subject;
    const { status, headers } = subscriber.answer;
    if (status !== 201) return new Response("refused", { status, ...defined({ headers }) });
    const body = new Uint8Array(await request.arrayBuffer());
    if (body.length > 4_096) return new Response(null, { status: 413 });
    const ttl = request.headers.get("TTL") ?? "";
    const topic = request.headers.get("Topic") ?? "";
    const asked =
      /^\d+$/.test(ttl) &&
      /^[\w-]{1,32}$/.test(topic) &&
      request.headers.get("Content-Encoding") === "aes128gcm";
    if (!asked) return new Response(null, { status: 400 });
    const note = JSON.parse(await decryptMessage(subscriber, body)) as Record<string, unknown>;
    const urgency = request.headers.get("Urgency") ?? "";
    messages.push({ browser, note, ttl: Number(ttl), urgency, topic, subject, size: body.length });
    return new Response(null, { status: 201, headers: { Location: `${home}/message/1` } });
  }

  /** RFC 8292, sections 3 and 4: checks a signature for this service by the key with which the browser subscribed. */
  async function authenticateSender(
    request: Request,
    key: string,
  ): Promise<Response | string | undefined> {
    const sent = request.headers.get("Authorization") ?? "";
    const { t, k } = /^vapid t=(?<t>[^,]+), k=(?<k>[\w-]+)$/.exec(sent)?.groups ?? {};
    if (t === undefined || k !== key) return new Response(null, { status: 403 });
    const point = decodeBase64url(k);
    const jwk = {
      kty: "EC",
      crv: "P-256",
      x: encodeBase64url(point.subarray(1, 33)),
      y: encodeBase64url(point.subarray(33)),
    };
    try {
      const { payload } = await jwtVerify(t, await importJWK(jwk, "ES256"), {
        algorithms: ["ES256"],
        audience: home,
        requiredClaims: ["exp"],
        // The Worker's clock is the test's clock.
        currentDate: new Date(((decodeExp(t) ?? 0) - 60) * 1_000),
      });
      return payload.sub;
    } catch {
      return new Response(null, { status: 401 });
    }
  }

  return {
    messages,
    subscribe,
    answer,
    handle,
    subscribers: () => [...subscribers.keys()],
    /** The real address of the service. */
    movedTo: (there: string) => void (home = there),
  };
}

const decodeExp = (token: string): number | undefined =>
  (
    JSON.parse(new TextDecoder().decode(decodeBase64url(token.split(".")[1] ?? ""))) as {
      exp?: number;
    }
  ).exp;

async function decryptMessage({ keys, raw, auth }: Subscriber, body: Uint8Array): Promise<string> {
  const salt = body.slice(0, 16);
  const idLength = body[20] ?? 0;
  const sender = body.slice(21, 21 + idLength);
  const cipher = body.slice(21 + idLength);
  const theirs = await crypto.subtle.importKey("raw", sender, CURVE, false, []);
  const agreement: unknown = { name: "ECDH", public: theirs };
  const shared = await crypto.subtle.deriveBits(agreement as never, keys.privateKey, 256);
  const info = new Uint8Array([...encodeUtf8("WebPush: info\0"), ...raw, ...sender]);
  const material = await deriveHkdf(auth, shared, info, 256);
  const key = await deriveHkdf(salt, material, encodeUtf8("Content-Encoding: aes128gcm\0"), 128);
  const iv = await deriveHkdf(salt, material, encodeUtf8("Content-Encoding: nonce\0"), 96);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, cipher));
  // RFC 8188: padding follows the delimiter of the last record.
  const end = plain.lastIndexOf(2);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(plain.subarray(0, end));
}

async function deriveHkdf(
  salt: Uint8Array<ArrayBuffer>,
  material: ArrayBuffer,
  info: Uint8Array<ArrayBuffer>,
  bits: number,
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  return await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bits);
}
