/** Reads a sender's stream without waiting forever. */

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The longest pause in the middle of a body; the whole body may take longer. */
const MAX_PAUSE_MS = 30_000;

const doNothing = (): void => undefined;

/** Resolves with the value; "broken" where the connection ended early, "late" after too long a pause. */
async function waitForSender<T>(read: () => Promise<T>): Promise<T | "broken" | "late"> {
  let stopTimer = doNothing;
  const late = new Promise<"late">((resolve) => {
    const timer = setTimeout(() => resolve("late"), MAX_PAUSE_MS);
    stopTimer = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return "broken";
  } finally {
    stopTimer();
  }
}

/** Returns the next chunk; "broken" where the connection ended early, "late" after too long a pause. */
export async function readChunk(reader: Reader): Promise<Uint8Array | "end" | "broken" | "late"> {
  const read = await waitForSender(() => reader.read());
  if (typeof read === "string") return read;
  return read.done ? "end" : read.value;
}

/** Like `readChunk`, for the whole of a short body. */
export const readWhole = (request: Request): Promise<Uint8Array | "broken" | "late"> =>
  waitForSender(async () => new Uint8Array(await request.arrayBuffer()));
