/** The part of the IMAP server for tests that is used here; it ships no types. */
declare module "hoodiecrow-imap" {
  import type { Server } from "node:net";

  export interface ImapMail {
    uid: number;
    /** One character for each byte. */
    raw: string;
    flags: string[];
  }

  export interface ImapFolder {
    uidvalidity: number;
    uidnext: number;
    messages: ImapMail[];
  }

  interface ImapServer {
    readonly server: Server;
    listen(port: number, host: string, listening: () => void): void;
    close(closed: () => void): void;
    getMailbox(name: string): ImapFolder | undefined;
    appendMessage(folder: ImapFolder, flags: string[], date: Date, raw: string): unknown;
    setCommandHandler(
      command: string,
      handler: (connection: unknown, parsed: unknown, data: unknown, done: () => void) => void,
    ): void;
    getCommandHandler(
      command: string,
    ): (connection: unknown, parsed: unknown, data: unknown, done: () => void) => void;
  }

  export default function createServer(options: {
    users: Record<string, { password: string }>;
    storage: Record<string, object>;
    plugins?: readonly string[];
  }): ImapServer;
}
