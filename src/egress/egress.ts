/** Every request that leaves the exchange for an address that somebody configured. */
import type { Outcome } from "../mess/errors.ts";

/** An answer, read no further than 64 KB. Its text is for our own decisions, never for agents. */
export interface EgressAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Egress {
  /**
   * Sends the request where its address passes the check (https on 443 or 8443, no user info, no IP literal, no local
   * name; loopback only where the deployment allows it). Follows no redirect and gives up after 20 s.
   * A refused address, a failed connection and a redirect are refusals; every other status is an answer, and a
   * redirect too where `init` says `redirect: "manual"`: where it leads is for the caller to send to, and checked anew.
   */
  send(url: string, init?: RequestInit): Promise<Outcome<EgressAnswer>>;
  /** The same for a file that is fetched: `maxBytes` bytes, else refused. */
  fetch(url: string, init: RequestInit, maxBytes: number): Promise<Outcome<EgressFile>>;
  /**
   * The same for an answer that is read as it comes, such as a stream of events. Whoever opens it bounds its bytes,
   * and its time by the signal of `init`.
   */
  open(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Outcome<Response>>;
}

export interface EgressFile {
  readonly mime: string;
  readonly bytes: Uint8Array;
}
