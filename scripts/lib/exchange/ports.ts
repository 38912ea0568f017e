/** Checks the ports of this machine before the exchange starts. */
import { connect, createServer } from "node:net";
import { PlainError } from "../program.ts";

export const HOST = "127.0.0.1";

/** Connects, since binding is no proof: some systems allow it beside a program that listens on all addresses. */
export const isAnswering = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: HOST, port });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => end(true));
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });

const bindPort = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? port) : port));
    });
  });

/** Returns the port if it is free, or a free port for 0. @throws PlainError if it is not free */
export async function claimPort(port: number): Promise<number> {
  if (port === 0) return await bindPort(0);
  const taken = new PlainError(
    `Port ${port} is used by another program. Stop that program, or choose another port: --port ${port === 65_535 ? port - 1 : port + 1}`,
  );
  if (await isAnswering(port)) throw taken;
  try {
    return await bindPort(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw taken;
    throw new PlainError(
      `Port ${port} cannot be used: ${code === "EACCES" ? "permission denied" : message}`,
    );
  }
}
