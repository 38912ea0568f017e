import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventWriter, limitUnread } from "../../../../src/ingress/streams/event-writer.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client that reads one event whenever the test lets it. */
function openClient() {
  const received: string[] = [];
  const end = vi.fn<() => void>();
  const abort = vi.fn<() => void>();
  let readNext = () => {};
  const writable = new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve) => {
        readNext = () => {
          readNext = () => {};
          received.push(new TextDecoder().decode(chunk));
          resolve();
        };
      }),
    abort,
  });
  const events = new EventWriter(writable, end);
  const read = async () => {
    await vi.advanceTimersByTimeAsync(0);
    readNext();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { events, received, end, abort, read };
}

describe("events for a slow client", () => {
  it("an event that waits already is kept once, and one that is being sent is sent again", async () => {
    const { events, received, read } = openClient();

    for (const event of ["a", "a", "b", "a", "b"]) events.write(event);
    for (let turn = 0; turn < 5; turn++) await read();

    expect(received).toEqual(["a", "a", "b"]);
  });

  it("a client that reads nothing for more than two keep-alives loses its stream", async () => {
    const { events, received, end } = openClient();
    events.write("a");

    await vi.advanceTimersByTimeAsync(50_000);
    const endsEarly = end.mock.calls.length;
    await vi.advanceTimersByTimeAsync(25_000);

    expect(endsEarly).toBe(0);
    expect(end).toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    expect(received).toEqual([]);
  });

  it("a stream that was closed behind an unread event does not wait for its client forever", async () => {
    const { events, abort, read } = openClient();
    events.write("a");
    events.write("b");
    events.close();

    await vi.advanceTimersByTimeAsync(75_000);
    await read();

    expect(abort).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a client that reads late, but in time, keeps its stream", async () => {
    const { events, received, end, read } = openClient();
    events.write("a");

    await vi.advanceTimersByTimeAsync(50_000);
    await read();
    await read();
    await vi.advanceTimersByTimeAsync(50_000);

    expect(received).toEqual(["a", ": keep-alive\n\n"]);
    expect(end).not.toHaveBeenCalled();
  });
});

/** The text of an event with this number. */
const toEvent = (index: number): string => `data: ${index}\n\n`;

/** The stream of a server, and what the client gets of it. */
function openSource() {
  const end = vi.fn<() => void>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const source = new ReadableStream<Uint8Array>({
    start: (started) => {
      controller = started;
    },
  });
  const passed = limitUnread(source, end);
  const emit = (event: string) => controller!.enqueue(new TextEncoder().encode(event));
  return { end, passed, emit, close: () => controller!.close() };
}

describe("a stream of events that is passed on", () => {
  it("a client that reads gets every event, also those before the end, and the end", async () => {
    const { end, passed, emit, close } = openSource();
    const sent = Array.from({ length: 900 }, (_, index) => toEvent(index));
    for (const event of sent) emit(event);
    close();

    const received = await new Response(passed).text();
    await vi.advanceTimersByTimeAsync(0);

    expect(received).toBe(sent.join(""));
    expect(end).toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a client that reads nothing loses its stream", async () => {
    const { end, passed, emit } = openSource();
    for (let index = 0; index < 10; index++) emit(toEvent(index));

    await vi.advanceTimersByTimeAsync(75_000);

    expect(end).toHaveBeenCalled();
    await expect(new Response(passed).text()).rejects.toThrow();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a client that disconnects ends the stream behind it", async () => {
    const { end, passed } = openSource();

    await passed.cancel();
    await vi.advanceTimersByTimeAsync(0);

    expect(end).toHaveBeenCalled();
  });
});
