/** The rows of the message tree in the table of routes: every file is plain text, and a path names one node. */
import type * as z from "zod";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import {
  buildTreeNode,
  TREE_PATHS,
  type TreeNode,
  type TreeNodeType,
} from "../../../../mess/sources/tree/paths.ts";
import { readBytes, readUtf8 } from "../../request-body.ts";
import { PLAIN_TEXT_TYPE } from "../../response.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";
import type { HandlerResult } from "../../response.ts";

/** A draft of 50,000 characters, each of up to four bytes, with its headers. */
const MAX_WRITTEN_BYTES = 256 * 1024;
/** The position after which to continue, in answers of lists and waits. */
export const CURSOR_HEADER = "X-MESS-Cursor";

type TreeHandler<Q = Record<string, unknown>> = (
  call: HttpCall<Q>,
  node: TreeNode,
) => HandlerPromise;

interface ReadDescription<Q extends z.ZodObject> {
  summary: string;
  description?: string;
  query?: Q;
}

/** Names that nothing can have are refused before any object is called. */
const atNode =
  <Q extends Record<string, unknown>>(type: TreeNodeType, handle: TreeHandler<Q>) =>
  (call: HttpCall<Q>): HandlerPromise => {
    const node = buildTreeNode(type, call.param("source"), call.param("id"));
    return node ? handle(call, node) : Promise.resolve(refuseNode());
  };

const refuseNode = () =>
  refuse("not_found", "nothing is at this path", "GET the folder above it: it lists its names.");

export const defineTreeRead = <Q extends z.ZodObject>(
  type: TreeNodeType,
  description: ReadDescription<Q>,
  handle: TreeHandler<z.output<Q>>,
): HttpRoute =>
  defineMemberRoute({
    method: "get",
    path: TREE_PATHS[type],
    access: "messages",
    produces: "text/plain",
    ...description,
    handle: atNode(type, handle),
  });

/** POST and PUT are the same: both write the text to the file. */
export const defineTreeWrites = (
  type: TreeNodeType,
  { summary, body }: { summary: string; body: string },
  handle: (call: HttpCall, node: TreeNode, text: string) => HandlerPromise,
): HttpRoute[] =>
  (["post", "put"] as const).map((method) =>
    defineMemberRoute({
      method,
      path: TREE_PATHS[type],
      access: "messages",
      produces: "text/plain",
      summary,
      body: { description: body, types: ["text/plain"] },
      handle: atNode(type, async (call: HttpCall, node) => {
        const text = await readWritten(call.request);
        return text.ok ? await handle(call, node, text.value) : text;
      }),
    }),
  );

/** The text as it is, whatever its type says: curl calls it a form. */
async function readWritten(request: Request): Promise<Outcome<string>> {
  const bytes = await readBytes(request, MAX_WRITTEN_BYTES);
  if (!bytes.ok) return bytes;
  const text = readUtf8(bytes.value);
  if (!text.ok) return text;
  const written = text.value.replaceAll("\r\n", "\n");
  return written.trim() === ""
    ? refuse("empty_message", "the body is empty", "GET this path to see what can be written.")
    : ok(written);
}

export const buildText = (
  text: string,
  headers: Record<string, string> = {},
): Outcome<HandlerResult> =>
  ok(new Response(text, { headers: { "Content-Type": PLAIN_TEXT_TYPE, ...headers } }));

/** A wait has ended without anything. */
export const buildNothing = (headers: Record<string, string> = {}): Outcome<HandlerResult> =>
  ok(new Response(null, { status: 204, headers }));

export const buildLines = (lines: readonly string[], cursor?: string): Outcome<HandlerResult> =>
  buildText(
    lines.map((line) => `${line}\n`).join(""),
    cursor === undefined ? {} : { [CURSOR_HEADER]: cursor },
  );
