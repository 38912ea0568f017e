/** A client that has not read so many notifications loses its stream, since the Worker has to keep them. */
const MAX_UNREAD_CHUNKS = 1_000;

/** Wraps the stream, and calls `end` when the client disconnects or does not read, or when the stream ends. */
export function limitUnread(
  body: ReadableStream<Uint8Array>,
  end: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isCancelled = false;
  const copy = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while ((controller.desiredSize ?? 0) > -MAX_UNREAD_CHUNKS) {
      const { done, value } = await reader.read();
      if (done) break;
      controller.enqueue(value);
    }
    end();
    if (!isCancelled) controller.close();
  };
  return new ReadableStream({
    start(controller) {
      copy(controller).catch((error: unknown) => {
        end();
        controller.error(error);
      });
    },
    async cancel(reason) {
      isCancelled = true;
      end();
      await reader.cancel(reason);
    },
  });
}
