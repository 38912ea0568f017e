/** WebSockets that wait for a new message. The object hibernates in the meantime. */
import type { SourceContext } from "../source-context.ts";

export const acceptWait = (
  _ctx: DurableObjectState,
  _context: SourceContext,
  _request: Request,
): Response => new Response(null, { status: 404 });
