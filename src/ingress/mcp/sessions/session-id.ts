/**
 * Session ids of clients of the 2025 revisions. The id contains the facts of the handshake that later requests need, so
 * that a session stores nothing until its client subscribes or sets a log level. The client may change these facts:
 * they describe only itself, and every request has its own credential (decision 154).
 */
import type { ClientCapabilities } from "@modelcontextprotocol/server";
import { LIMITS } from "../../../mess/limits.ts";
import { isMap } from "../../../mess/json.ts";

export const SESSION_HEADER = "Mcp-Session-Id";

/** The capabilities that a request of the server may need. */
const CAPABILITIES = ["elicitation", "sampling", "roots"] as const;
const DEFAULT_VERSION = "2025-11-25";

const SESSION_ID_PATTERN = /^[0-9a-f-]{36}\.(\d{4}-\d\d-\d\d)\.([a-z-]{0,40})$/;

export interface SessionFacts {
  id: string;
  /** The protocol version that the client requested. */
  version: string;
  capabilities: ClientCapabilities;
}

/** @param params the parameters of `initialize` */
export function createSessionId(params: unknown): string {
  const { protocolVersion, capabilities } = isMap(params) ? params : {};
  const declared = isMap(capabilities) ? capabilities : {};
  const names = CAPABILITIES.filter((name) => isMap(declared[name]) && !isUrlOnly(declared[name]));
  const version =
    typeof protocolVersion === "string" && /^\d{4}-\d\d-\d\d$/.test(protocolVersion)
      ? protocolVersion
      : DEFAULT_VERSION;
  return `${crypto.randomUUID()}.${version}.${names.join("-")}`;
}

/** A client that opens addresses but shows no forms. Without a mode, forms are meant. */
const isUrlOnly = (elicitation: object): boolean =>
  "url" in elicitation && !("form" in elicitation);

/** The session that the request names: undefined if it names none, "unknown" if there can be no such session. */
export function readSession(headers: Headers): SessionFacts | "unknown" | undefined {
  const id = headers.get(SESSION_HEADER);
  if (id === null) return undefined;
  const [, version, names] =
    id.length > LIMITS.nameChars ? [] : (SESSION_ID_PATTERN.exec(id) ?? []);
  if (version === undefined || names === undefined) return "unknown";
  const given = names.split("-");
  const capabilities = Object.fromEntries(
    CAPABILITIES.filter((name) => given.includes(name)).map((name) => [name, {}]),
  );
  return { id, version, capabilities };
}
