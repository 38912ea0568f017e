/** Reads a sender's stream without waiting forever. */

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The longest pause in the middle of a body; the whole body may take longer. */
const MAX_PAUSE_MS = 30_000;

const doNothing = (): void => undefined;

/** Returns the next chunk; "broken" where the connection ended early, "late" after too long a pause. */
export async function readChunk(reader: Reader): Promise<Uint8Array | "end" | "broken" | "late"> {
  let stopTimer = doNothing;
  const late = new Promise<"late">((resolve) => {
    const timer = setTimeout(() => resolve("late"), MAX_PAUSE_MS);
    stopTimer = () => clearTimeout(timer);
  });
  try {
    const read = await Promise.race([reader.read(), late]);
    if (read === "late") return read;
    return read.done ? "end" : read.value;
  } catch {
    return "broken";
  } finally {
    stopTimer();
  }
}
