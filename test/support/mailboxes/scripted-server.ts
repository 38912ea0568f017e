/** A mail server that answers by a script, for the answers that no proper server gives. */
import type { Egress, EgressSocket } from "../../../src/egress/egress.ts";
import { ok } from "../../../src/mess/result.ts";

/** What the server answers to a line: a text, nothing, or the end of the connection after a text. */
type Answer = string | undefined | { last: string };

export interface ScriptedServer {
  egress: Pick<Egress, "connect">;
  /** Lines of the client, and `<TLS>` where the encryption began. */
  lines: string[];
}

export function createScriptedServer(
  greeting: Answer,
  answer: (line: string, count: number) => Answer,
  { needsStartTls = false }: { needsStartTls?: boolean } = {},
): ScriptedServer {
  const lines: string[] = [];
  const create = (first: Answer, canStartTls: boolean): EgressSocket => {
    let rest = "";
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let isOpen = true;
    const send = (given: Answer): void => {
      const text = typeof given === "object" ? given.last : given;
      if (!isOpen) return;
      if (text) controller.enqueue(Uint8Array.from(text, (one) => one.charCodeAt(0)));
      if (typeof given === "object") close();
    };
    const close = (): void => {
      if (isOpen) controller.close();
      isOpen = false;
    };
    const readable = new ReadableStream<Uint8Array>({ start: (made) => void (controller = made) });
    const writable = new WritableStream<Uint8Array>({
      write: (chunk) => {
        const parts = (rest + new TextDecoder("latin1").decode(chunk)).split("\r\n");
        rest = parts.pop() ?? "";
        for (const line of parts) {
          lines.push(line);
          send(answer(line, lines.length));
        }
      },
    });
    send(first);
    return {
      readable,
      writable,
      close: async () => close(),
      ...(canStartTls
        ? {
            startTls: () => {
              lines.push("<TLS>");
              return create(undefined, false);
            },
          }
        : {}),
    };
  };
  return {
    lines,
    egress: { connect: async () => ok(create(greeting, needsStartTls)) },
  };
}
