/** Bindings and types of the Worker that modules of `src` name. Node does not have them and only checks the types. */
interface Env {
  readonly MESS_SECRET: string;
  readonly MESS_OPERATOR_KEY: string;
  readonly HOUSEHOLDS: { getByName(name: string): unknown };
  readonly THREADS: { getByName(name: string): unknown };
  readonly GROUPS: { getByName(name: string): unknown };
  readonly SOURCES: { getByName(name: string): unknown };
  readonly SEND_EMAIL: SendEmail;
  readonly [binding: string]: unknown;
}

interface SendEmail {
  send(mail: EmailMessageBuilder): Promise<{ messageId: string }>;
}

type EmailMessageBuilder = object;

type SubtleCryptoDeriveKeyAlgorithm = Parameters<SubtleCrypto["deriveBits"]>[0];

/** The part of `cloudflare:sockets` that the Worker uses; only its types are checked. */
interface SocketOptions {
  secureTransport?: "off" | "on" | "starttls";
  allowHalfOpen: boolean;
}

interface Socket {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly opened: Promise<unknown>;
  readonly closed: Promise<void>;
  close(): Promise<void>;
  startTls(): Socket;
}

declare module "cloudflare:sockets" {
  export function connect(
    address: { hostname: string; port: number },
    options: SocketOptions,
  ): Socket;
}
