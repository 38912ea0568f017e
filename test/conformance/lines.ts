/** JSON lines as the suite speaks them: ASCII, one value a line, lines ended by LF and by nothing else. */
import type { Readable } from "node:stream";

/** Characters that some readers take for the end of a line are escaped with all others outside ASCII. */
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
