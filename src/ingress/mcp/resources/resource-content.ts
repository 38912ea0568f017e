/** Serves files of threads as resources, with unchanged bytes. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { DOWNLOAD_LINK_MINUTES } from "../../../auth/links/download-links.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type McpCaller, findInHouseholds } from "../caller.ts";
import type { LinkMaker } from "../tool.ts";
import { completeFile, completeRef } from "./completion.ts";
import { CONTENT_LIMITS, openContent, readContentUri } from "./content-files.ts";
import { throwResourceError } from "./resource-error.ts";

export function serveContent(
  server: McpServer,
  env: ExchangeBindings,
  caller: McpCaller,
  links: LinkMaker,
): void {
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
        const contentRef = readContentUri(uri.href);
        if (!contentRef.ok) return throwResourceError(uri, contentRef.error);
        const opened = await findInHouseholds(caller, undefined, (principal) =>
          openContent(env, principal, contentRef.value),
        );
        if (!opened.ok) return throwResourceError(uri, opened.error);
        const { attachment, body, link } = opened.value;
        if (attachment.size > CONTENT_LIMITS.resourceBytes) {
          await body.cancel();
          return throwResourceError(uri, {
            code: "too_large",
            message: `the file has ${attachment.size} bytes, too many for a resource`,
            hint: `Download it within ${DOWNLOAD_LINK_MINUTES} minutes: ${await links.download(link)}`,
          });
        }
        return {
          contents: [{ uri: uri.href, mimeType: attachment.mime, blob: await body.base64() }],
        };
      },
    );
}
