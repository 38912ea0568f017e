/** Reads the JSON messages of a stream of server-sent events. */

/** @param {Response} response @returns {AsyncGenerator<Record<string, any>>} */
export async function* readEvents(response) {
  if (!response.body) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (
    /** @type {unknown} */ (response.body)
  )) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).trimStart())
        .join("\n");
      if (data !== "") yield JSON.parse(data);
    }
  }
}
