/** The interface for outgoing requests and connections to configured addresses. */
import type { Outcome } from "../mess/errors.ts";

/** A response, read up to 64 KB. Its text is only evaluated, never passed on to agents. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection to a mail server. */
export interface EgressSocket {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  close(): Promise<void>;
  /** Begins encryption, after which only the returned socket may be used; absent where it has begun. */
  startTls?(): EgressSocket;
}

export interface Egress {
  /**
   * Sends the request if its address passes the check (https on 443 or 8443, no user info, no IP literal, no local
   * name; loopback only where the deployment allows it). The timeout is 20 s. Refuses invalid addresses, failed
   * connections and redirects. With `redirect: "manual"` in `init` a redirect is returned as a response instead.
   */
  send(url: string, init?: RequestInit): Promise<Outcome<EgressResponse>>;
  /** Like `send`, for fetching a file; refuses one of more than `maxBytes` bytes with `too_large`. */
  fetch(url: string, init: RequestInit, maxBytes: number): Promise<Outcome<EgressFile>>;
  /**
   * Like `send`, for a streamed response such as server-sent events. The caller limits its bytes, and its time with
   * the signal of `init`.
   */
  open(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Outcome<Response>>;
  /**
   * Connects to a mail server on a port of encrypted mail: with TLS, or ready for it where the port is for STARTTLS.
   * Refuses what `send` refuses, and a connection that takes longer than 10 s.
   */
  connect(server: { host: string; port: number }): Promise<Outcome<EgressSocket>>;
}

export interface EgressFile {
  readonly mime: string;
  readonly bytes: Uint8Array;
}
