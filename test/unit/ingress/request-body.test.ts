/** Bodies whose sender stops in the middle. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { readBytes } from "../../../src/ingress/http/request-body.ts";

afterEach(() => {
  vi.useRealTimers();
});

const PAUSE_MS = 30_000;
const MAX_BYTES = 100;

/** A request whose body begins, and then does what `next` says. */
function buildRequest(
  next: (controller: ReadableStreamDefaultController) => void | Promise<void>,
): {
  request: Request;
  cancel: ReturnType<typeof vi.fn>;
} {
  const cancel = vi.fn();
  const chunks = [new TextEncoder().encode("MESS:\n")];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (!chunk) return next(controller);
      controller.enqueue(chunk);
      return undefined;
    },
    cancel,
  });
  const init: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" };
  return { request: new Request("https://mess.test/mess", init), cancel };
}

describe("a body that does not arrive as a whole", () => {
  it("a body whose connection breaks is refused as incomplete", async () => {
    const { request } = buildRequest((controller) => controller.error(new Error("lost")));

    const read = await readBytes(request, MAX_BYTES);

    expect(read).toMatchObject({ ok: false, error: { code: "incomplete_body" } });
  });

  it("a body that pauses for 30 seconds is refused, and its stream is canceled", async () => {
    vi.useFakeTimers();
    const { request, cancel } = buildRequest(() => undefined);

    const reading = readBytes(request, MAX_BYTES);
    await vi.advanceTimersByTimeAsync(PAUSE_MS);

    expect(await reading).toMatchObject({ ok: false, error: { code: "request_timeout" } });
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("a short body of announced length whose connection breaks is refused as incomplete", async () => {
    const { request } = buildRequest((controller) => controller.error(new Error("lost")));
    request.headers.set("Content-Length", "50");

    const read = await readBytes(request, MAX_BYTES);

    expect(read).toMatchObject({ ok: false, error: { code: "incomplete_body" } });
  });

  it("a short body of announced length that does not arrive within 30 seconds is refused", async () => {
    vi.useFakeTimers();
    const { request } = buildRequest(() => undefined);
    request.headers.set("Content-Length", "50");

    const reading = readBytes(request, MAX_BYTES);
    await vi.advanceTimersByTimeAsync(PAUSE_MS);

    expect(await reading).toMatchObject({ ok: false, error: { code: "request_timeout" } });
  });

  it("a body that is longer than its announced length is refused beyond the maximum", async () => {
    const { request } = buildRequest((controller) => {
      controller.enqueue(new Uint8Array(MAX_BYTES));
      controller.close();
    });
    request.headers.set("Content-Length", "50");

    const read = await readBytes(request, MAX_BYTES);

    expect(read).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("a body in pieces may take longer than 30 seconds", async () => {
    vi.useFakeTimers();
    let pieces = 0;
    const { request } = buildRequest(async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS - 1_000));
      if (++pieces < 4) controller.enqueue(new Uint8Array(1));
      else controller.close();
    });

    const reading = readBytes(request, MAX_BYTES);
    await vi.advanceTimersByTimeAsync(4 * PAUSE_MS);

    expect(await reading).toMatchObject({ ok: true });
  });
});
