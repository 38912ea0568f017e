/** `mess show`: one request with everything that was said about it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../lib/command.js";
import { toFileName } from "../lib/tree/names.js";
import { writeRoute, writeThread } from "../lib/thread-text.js";

const USAGE = "mess show REF [--files FOLDER]";

/** @type {import("../lib/command.js").Command} */
export const show = {
  name: "show",
  summary: "Show one request with its messages",
  usage: [USAGE],
  description: `REF is the request's ref such as 2026-01-31-007-fridge, the start of it, the id that you gave it, or
"last" for your newest request.`,
  options: {
    files: {
      type: "string",
      short: "f",
      value: "FOLDER",
      help: "save its photos and other files there",
    },
    route: { type: "boolean", help: "show to whom it was offered, and why not to others" },
  },
  examples: [
    ["mess show last", "your newest request"],
    ["mess show fridge --files photos", "with its photos in the folder photos"],
  ],
  run: async (context) => {
    const [ref = ""] = readArguments(context, ["REF"], USAGE);
    const exchange = context.exchange();
    const path = `/mess/${encodeURIComponent(ref)}`;
    if (context.values["route"]) {
      const route = await exchange.get(`${path}/route`);
      return context.show(route, writeRoute);
    }
    const thread = await exchange.get(path);
    const folder = context.values["files"];
    if (folder !== undefined) await saveFiles(context, thread, folder);
    context.show(thread, writeThread);
  },
};

/** @param {import("../lib/command.js").Context} context @param {any} thread @param {string} folder */
async function saveFiles(context, { envelope, attachments }, folder) {
  mkdirSync(folder, { recursive: true });
  for (const { name } of attachments) {
    const file = toFileName(name);
    const response = await context
      .exchange()
      .call(
        "GET",
        `/mess/${encodeURIComponent(envelope.ref)}/attachments/${encodeURIComponent(name)}`,
        { headers: { Accept: "*/*" } },
      );
    writeFileSync(join(folder, file), new Uint8Array(await response.arrayBuffer()));
    context.note(`saved ${join(folder, file)}`);
  }
}
