/** Sessions of the fixtures' Worker, which runs in one isolate: in place of the household's object. */
import type { ClientSession } from "../../../src/ingress/mcp/sessions/client-session.ts";
import type { SessionFacts } from "../../../src/ingress/mcp/sessions/session-id.ts";
import { ok } from "../../../src/mess/result.ts";

const waiting = new Map<string, (response: string) => void>();

export const createMemorySession = (facts: SessionFacts): ClientSession => ({
  ...facts,
  read: async () => ({ uris: [] }),
  update: async () => ok({ uris: [] }),
  deliverResponse: async (request, response) => {
    const deliver = waiting.get(request);
    waiting.delete(request);
    deliver?.(response);
    return deliver !== undefined;
  },
  expectResponse: async (request, onResponse) => {
    waiting.set(request, onResponse);
    return true;
  },
  watch: async () => false,
});
