/** Resources, prompts and tools that return fixed content, with the names that the suite expects. */
import { completable, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod";
import { PNG_BASE64 } from "../media/png.ts";
import type { FixtureTools } from "./fixture-tools.ts";

/** A WAV file with silence. */
const AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const toText = (text: string) => ({ type: "text" as const, text });
const image = { type: "image" as const, data: PNG_BASE64, mimeType: "image/png" };
const buildResource = (uri: string, mimeType: string, text: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text },
});

export const contentTools: FixtureTools = Object.fromEntries(
  Object.entries({
    test_simple_text: [toText("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [{ type: "audio" as const, data: AUDIO, mimeType: "audio/wav" }],
    test_embedded_resource: [buildResource("test://embedded-resource", "text/plain", "Embedded.")],
    test_multiple_content_types: [
      toText("Multiple content types test:"),
      image,
      buildResource(
        "test://mixed-content-resource",
        "application/json",
        '{"test":"data","value":123}',
      ),
    ],
  }).map(([name, content]) => [name, { description: `Returns ${name}`, run: () => ({ content }) }]),
);

export function serveContentFixtures(server: McpServer): void {
  const plain = { title: "Text", description: "A fixed text", mimeType: "text/plain" };
  for (const name of ["static-text", "watched-resource", "example-resource"])
    server.registerResource(name, `test://${name}`, plain, (uri) => ({
      contents: [{ uri: uri.href, mimeType: "text/plain", text: `The text of ${name}.` }],
    }));
  const picture = { title: "Picture", description: "A fixed picture", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", picture, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG_BASE64 }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { title: "Template", description: "Data by id", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  servePrompts(server);
}

function servePrompts(server: McpServer): void {
  const buildMessage = (
    ...content: (ReturnType<typeof toText> | typeof image | ReturnType<typeof buildResource>)[]
  ) => ({
    messages: content.map((one) => ({ role: "user" as const, content: one })),
  });
  const buildDescription = (description: string) => ({ title: description, description });
  server.registerPrompt("test_simple_prompt", buildDescription("A simple prompt"), () =>
    buildMessage(toText("This is a simple prompt for testing.")),
  );
  const argument = completable(z.string(), (typed) =>
    ["paris", "park", "party"].filter((word) => word.startsWith(typed)),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      ...buildDescription("A prompt with arguments"),
      argsSchema: z.object({ arg1: argument, arg2: z.string() }),
    },
    ({ arg1, arg2 }) =>
      buildMessage(toText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      ...buildDescription("A prompt with a resource"),
      argsSchema: z.object({ resourceUri: z.string() }),
    },
    ({ resourceUri }) =>
      buildMessage(
        buildResource(resourceUri, "text/plain", "Embedded."),
        toText("Read the resource above."),
      ),
  );
  server.registerPrompt("test_prompt_with_image", buildDescription("A prompt with an image"), () =>
    buildMessage(image, toText("Look at the image above.")),
  );
}
