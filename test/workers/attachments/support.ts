import { env } from "cloudflare:workers";

let households = 0;

/** R2 is shared by the tests of a file, so each test uses a separate household. */
export const createFreshHousehold = (): string => `house-${++households}`;

export const listKeys = async (household: string): Promise<string[]> =>
  (await env.BLOBS.list({ prefix: `${household}/` })).objects.map(({ key }) => key);

/** One byte for each character. */
export const encodeText = (text: string): Uint8Array =>
  Uint8Array.from(text, (sign) => sign.charCodeAt(0));

/** A stream of these chunks; with `fault` it fails after them. */
export const buildStream = (
  chunks: readonly Uint8Array[],
  fault?: Error,
): ReadableStream<Uint8Array> => {
  const left = [...chunks];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift();
      if (chunk) controller.enqueue(chunk);
      else if (fault) controller.error(fault);
      else controller.close();
    },
  });
};

export const PNG = encodeText("\x89PNG\r\n\x1a\n" + "p".repeat(100));
