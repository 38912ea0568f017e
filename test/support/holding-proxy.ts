/** A server before the exchange that holds a call back, so that a test can interrupt its caller there. */
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface HoldingProxy {
  readonly origin: string;
  /** Paths of the calls so far, without their query. */
  readonly paths: string[];
  /** Holds every further call with such a path back; resolves when one has arrived. */
  hold(isHeld: (path: string, call: IncomingMessage) => boolean): Promise<void>;
  /** Holds no more calls. Those that were held stay without a response. */
  release(): void;
  close(): void;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const paths: string[] = [];
  let isHeld: (path: string, call: IncomingMessage) => boolean = () => false;
  let report: () => void = () => undefined;
  const server = createServer((call, response) => {
    const { url = "", method, headers } = call;
    const path = url.split("?", 1)[0] ?? "";
    paths.push(path);
    if (isHeld(path, call)) {
      report();
      return;
    }
    const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    call.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    hold: (held) =>
      new Promise((resolve) => {
        isHeld = held;
        report = resolve;
      }),
    release: () => {
      isHeld = () => false;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
