/** `mess send`: sends any MESS message. */
import { readArguments } from "../lib/command.js";
import { readText } from "../lib/files.js";
import { stringify } from "yaml";

const USAGE = "mess send [FILE]";

/** @type {import("../lib/command.js").Command} */
export const send = {
  name: "send",
  summary: "Send any MESS message, in YAML or JSON, from a file or standard input",
  usage: [USAGE],
  description:
    "For what the other commands do not cover: batches with dependencies, suggestions, reviews, queries.",
  examples: [["mess send batch.yaml", "several requests at once"]],
  run: async (context) => {
    const [file = ""] = readArguments(context, ["FILE?"], USAGE);
    const response = await context.exchange().call("POST", "/mess", {
      headers: { "Content-Type": "application/yaml" },
      body: await readText(file === "" ? "-" : file),
    });
    context.show(await response.json(), (body) => stringify(body));
  },
};
