/** Applies an owner's answer to the request that a message or draft has opened. */
import type { SourceRequestChange } from "../../contracts/sources.ts";
import type { SourceContext } from "../source-context.ts";

export const takeRequestChange = (
  _context: SourceContext,
  _change: SourceRequestChange,
): Promise<void> => Promise.reject(new Error("not built yet"));
