/** Reads and writes the suite's JSON lines: ASCII, one value per line, lines end with LF only. */
import type { Readable } from "node:stream";

/** Escapes all characters outside ASCII, since some readers treat some of them as the end of a line. */
export const writeLine = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}\n`;

export async function* readLines(stream: Readable): AsyncGenerator {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
}
