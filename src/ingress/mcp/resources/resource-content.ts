/** Files of threads as resources, their bytes intact. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Stores } from "../../../exchange/with-thread.ts";
import { type Caller, whereFound } from "../caller.ts";
import { completeFile, completeRef } from "./completion.ts";
import { contentLimits, openContent, readContentUri } from "./content-files.ts";
import { refused } from "./resource-error.ts";

export function serveContent(server: McpServer, env: Stores, caller: Caller, origin: string): void {
  const complete = {
    thread: (value: string) => completeRef(env, caller, value),
    file: (value: string, context?: { arguments?: Record<string, string> }) =>
      completeFile(env, caller, context?.arguments?.["thread"], value),
  };
  for (const [name, template] of [
    ["content", "content://{thread}/{file}"],
    ["content-of-message", "content://{thread}/{message}/{file}"],
  ] as const)
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined, complete }),
      { title: "A file of a thread", description: "Its bytes as they were sent" },
      async (uri) => {
        const place = readContentUri(uri.href);
        if (!place.ok) return refused(uri, place.error);
        const opened = await whereFound(caller, undefined, (principal) =>
          openContent(env, principal, place.value),
        );
        if (!opened.ok) return refused(uri, opened.error);
        const { attachment, body, ref } = opened.value;
        if (attachment.size > contentLimits.resource) {
          await body.cancel();
          return refused(uri, {
            code: "too_large",
            message: `the file has ${attachment.size} bytes, too many for a resource`,
            hint: `Get ${origin}/mess/${ref}/attachments/${attachment.name} with your key.`,
          });
        }
        return {
          contents: [{ uri: uri.href, mimeType: attachment.mime, blob: await body.base64() }],
        };
      },
    );
}
