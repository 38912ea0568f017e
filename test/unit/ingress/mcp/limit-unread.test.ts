import { describe, expect, it, vi } from "vitest";
import { limitUnread } from "../../../../src/ingress/mcp/resources/limit-unread.ts";

const CHUNK = new Uint8Array([1]);

/** A stream with so many chunks, and the number that were taken from it. */
function countTaken(chunks: number) {
  const counted = { taken: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (counted.taken++ < chunks) controller.enqueue(CHUNK);
      else controller.close();
    },
  });
  return { body, counted };
}

describe("a stream of notifications", () => {
  it("a stream that its client does not read ends and takes no more", async () => {
    const { body, counted } = countTaken(5_000);
    const end = vi.fn<() => void>();

    limitUnread(body, end);

    await vi.waitFor(() => expect(end).toHaveBeenCalledOnce());
    expect(counted.taken).toBeLessThan(1_100);
  });

  it("a stream that its client reads delivers everything, and then ends", async () => {
    const { body } = countTaken(900);
    const end = vi.fn<() => void>();

    const received = await new Response(limitUnread(body, end)).arrayBuffer();

    expect(received.byteLength).toBe(900);
    expect(end).toHaveBeenCalledOnce();
  });

  it("a client that disconnects ends the stream behind it", async () => {
    const cancel = vi.fn<() => void>();
    const end = vi.fn<() => void>();
    const stream = limitUnread(new ReadableStream<Uint8Array>({ cancel }), end);

    await stream.cancel();

    expect(cancel).toHaveBeenCalledOnce();
    expect(end).toHaveBeenCalled();
  });
});
