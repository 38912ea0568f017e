/** A server with a feed in RSS 2.0. It answers conditional requests. */
import { expect, vi } from "vitest";
import { reachOutside } from "../ingress/local-services.ts";
import type { Delivery, LocalProvider, LocalSource } from "./local-source.ts";
import { pollNow } from "./poll-now.ts";

export const FEED_ORIGIN = "https://feeds.example.com";

export interface FeedItem extends Partial<Delivery> {
  id: string;
  /** As the feed writes it. */
  date?: string;
}

export class LocalFeed {
  readonly path = `/feed/${crypto.randomUUID()}`;
  readonly url: string = `${FEED_ORIGIN}${this.path}`;
  readonly requests: Request[] = [];
  /** The newest first. */
  items: FeedItem[] = [];
  /** Replaces the next answers. */
  answer?: (request: Request) => Response | undefined;

  constructor() {
    reachOutside({ [FEED_ORIGIN]: async (request) => this.#respond(request) });
  }

  #respond(request: Request): Response {
    this.requests.push(request);
    const own = this.answer?.(request);
    if (own) return own;
    const etag = `"${this.items.length}"`;
    if (request.headers.get("If-None-Match") === etag) return new Response(null, { status: 304 });
    return new Response(this.write(), { headers: { ETag: etag } });
  }

  write(): string {
    const items = this.items.map(
      ({ id, subject = id, text = "", date }) =>
        `<item><guid>${id}</guid><title>${subject}</title><description>${text}</description>` +
        `${date === undefined ? "" : `<pubDate>${date}</pubDate>`}</item>`,
    );
    return `<rss version="2.0"><channel><title>Town</title>${items.join("")}</channel></rss>`;
  }
}

export function createFeedProvider(): LocalProvider {
  const feed = new LocalFeed();
  return {
    settings: { url: feed.url },
    invalid: { settings: { url: "ftp://feeds.example.com/secret-path" }, path: "url" },
    secrets: [feed.path, "secret-path"],
    hasFiles: false,
    waitForPoll: () =>
      vi.waitFor(() => expect(feed.requests.length).toBeGreaterThan(0), { timeout: 5_000 }),
    deliver: async (message, source: LocalSource) => {
      if (feed.items.every(({ id }) => id !== message.id)) feed.items.unshift(message);
      const before = feed.requests.length;
      await pollNow(source);
      return feed.requests.length > before;
    },
  };
}
