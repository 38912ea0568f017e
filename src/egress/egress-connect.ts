/** Connects to mail servers by the sockets of the platform, which also refuse private addresses behind public names. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { checkMailServer, type EgressRules, type Encryption } from "./egress-address.ts";
import type { EgressSocket } from "./egress.ts";

const CONNECT_TIMEOUT_MS = 10_000;

const SECURE_TRANSPORTS = {
  tls: "on",
  starttls: "starttls",
  none: "off",
} as const satisfies Record<Encryption, SocketOptions["secureTransport"]>;

export async function connectToMailServer(
  server: { host: string; port: number },
  rules: EgressRules,
): Promise<Outcome<EgressSocket>> {
  const encryption = checkMailServer(server, rules);
  if (!encryption.ok) return encryption;
  // Node, which runs the tests of other modules, has no such module.
  const { connect } = await import("cloudflare:sockets");
  const socket = connect(
    { hostname: server.host, port: server.port },
    { secureTransport: SECURE_TRANSPORTS[encryption.value], allowHalfOpen: false },
  );
  // Also rejects where `opened` does.
  socket.closed.catch(() => undefined);
  const late = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await Promise.race([
      socket.opened,
      new Promise((_resolve, reject) => late.addEventListener("abort", reject, { once: true })),
    ]);
    return ok(toEgressSocket(socket, encryption.value));
  } catch {
    socket.close().catch(() => undefined);
    return refuse(
      "internal",
      "the connection failed",
      "Check the name and the port of the server, or try again later.",
    );
  }
}

const toEgressSocket = (socket: Socket, encryption: Encryption): EgressSocket => ({
  readable: socket.readable as ReadableStream<Uint8Array>,
  writable: socket.writable as WritableStream<Uint8Array>,
  close: () => socket.close(),
  ...(encryption === "starttls" ? { startTls: () => secure(socket) } : {}),
});

function secure(socket: Socket): EgressSocket {
  const encrypted = socket.startTls();
  encrypted.closed.catch(() => undefined);
  return toEgressSocket(encrypted, "tls");
}
