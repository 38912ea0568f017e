/**
 * A session with an IMAP server: what a mailbox source needs of the protocol, and nothing that changes a mail. Folders
 * are opened read-only, and mails are read without being marked.
 */
import { encodeFolderName } from "./folder-name.ts";
import { readCode, readFetch, readResponse, type ResponsePart } from "./imap-response.ts";
import { type MailConnection, MailServerError } from "./mail-connection.ts";

export interface OpenedFolder {
  /** Changes when the server gives all mails new numbers. */
  uidValidity: number;
  /** Above the number of every mail. */
  uidNext: number;
}

/** Of the responses to one command. A mailbox with many changes has some thousands of short ones. */
const MAX_RESPONSE_CHARS = 1024 * 1024;
const MAX_SMALL_LITERAL_BYTES = 64 * 1024;

/** The server says that only the owner can change this (RFC 5530). Others come from troubles that pass. */
const PERMANENT_CODES: readonly string[] = [
  "AUTHENTICATIONFAILED",
  "AUTHORIZATIONFAILED",
  "EXPIRED",
  "PRIVACYREQUIRED",
  "CONTACTADMIN",
  "NONEXISTENT",
];

/** The server may do later what it refuses now. */
const PASSING_CODES: readonly string[] = ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"];

const PRINTABLE_PATTERN = /^[\x20-\x7e]*$/;

/** A text of a command: quoted, or as bytes that follow when the server is ready for them. */
const toArgument = (text: string): string | Uint8Array =>
  PRINTABLE_PATTERN.test(text)
    ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
    : new TextEncoder().encode(text);

interface CommandOptions {
  /** What is wrong, where the server refuses the command, and how to correct it. */
  refusal: string;
  maxLiteralBytes?: number;
  onResponse?: (parts: readonly ResponsePart[]) => void;
}

export class ImapSession {
  readonly #connection: MailConnection;
  #commands = 0;

  private constructor(connection: MailConnection) {
    this.#connection = connection;
  }

  /** Reads the greeting, and begins encryption where the port is for STARTTLS. */
  static async open(connection: MailConnection): Promise<ImapSession> {
    const session = new ImapSession(connection);
    const [greeting] = await readResponse(connection, 0);
    const { host } = connection;
    if (!/^\* (?:OK|BYE)\b/i.test(String(greeting)))
      throw new MailServerError(`${host} is not an IMAP server: check imap_host and imap_port`);
    if (/^\* BYE\b/i.test(String(greeting)))
      throw new MailServerError(`${host} takes no connections at present`);
    if (connection.canStartTls) {
      await session.#run(["STARTTLS"], {
        refusal: `${host} does not encrypt on this port: set imap_port to 993`,
      });
      connection.startTls();
    }
    return session;
  }

  async logIn(user: string, password: string): Promise<void> {
    await this.#run(["LOGIN", toArgument(user), toArgument(password)], {
      refusal: `${this.#connection.host} refuses the user name or the password: check user and password; many providers need an app password`,
    });
  }

  async openFolder(name: string): Promise<OpenedFolder> {
    let uidValidity = 0;
    let uidNext: number | undefined;
    await this.#run(["EXAMINE", toArgument(encodeFolderName(name))], {
      refusal: `${this.#connection.host} has no folder ${name}: check folder`,
      onResponse: ([text]) => {
        const found = readCode(String(text).slice(2));
        if (found?.code === "UIDVALIDITY") uidValidity = Number(found.argument);
        if (found?.code === "UIDNEXT") uidNext = Number(found.argument);
      },
    });
    return { uidValidity, uidNext: uidNext ?? (await this.#findNextUid()) };
  }

  /** For servers that do not say so when the folder is opened. */
  async #findNextUid(): Promise<number> {
    const uids = await this.search("UID *");
    return Math.max(0, ...uids) + 1;
  }

  /** @returns the numbers (UID) of the mails that meet the criteria, in rising order */
  async search(criteria: string): Promise<number[]> {
    const found = new Set<number>();
    await this.#run([`UID SEARCH ${criteria}`], {
      refusal: `${this.#connection.host} refuses to search the folder`,
      onResponse: ([text]) => {
        const [star, name, ...numbers] = String(text).split(" ");
        if (star !== "*" || name?.toUpperCase() !== "SEARCH") return;
        for (const one of numbers) if (/^\d+$/.test(one)) found.add(Number(one));
      },
    });
    return [...found].toSorted((a, b) => a - b);
  }

  /** @returns the sizes in bytes, without those of mails that were deleted in the meantime */
  async listSizes(uids: readonly number[]): Promise<Map<number, number>> {
    const sizes = new Map<number, number>();
    await this.#run([`UID FETCH ${uids.join(",")} (UID RFC822.SIZE)`], {
      refusal: `${this.#connection.host} refuses to show the mails`,
      onResponse: (parts) => {
        const items = readFetch(parts);
        const size = Number(items?.get("RFC822.SIZE") ?? Number.NaN);
        if (!Number.isNaN(size)) sizes.set(Number(items?.get("UID")), size);
      },
    });
    return sizes;
  }

  /** Reads a mail, or its headers, up to a size. Undefined if it was deleted in the meantime. */
  async read(
    uid: number,
    section: "" | "HEADER",
    maxBytes: number,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    let found: Uint8Array<ArrayBuffer> | undefined;
    await this.#run([`UID FETCH ${uid} (UID BODY.PEEK[${section}]<0.${maxBytes}>)`], {
      refusal: `${this.#connection.host} refuses to show a mail`,
      maxLiteralBytes: maxBytes,
      onResponse: (parts) => {
        const items = readFetch(parts);
        const body = items?.get(`BODY[${section}]`);
        if (items?.get("UID") === String(uid) && body instanceof Uint8Array) found = body;
      },
    });
    return found;
  }

  /** Adds a mail that is marked as read to the folder. */
  async append(folder: string, mail: Uint8Array): Promise<void> {
    await this.#run([`APPEND ${String(toArgument(encodeFolderName(folder)))} (\\Seen)`, mail], {
      refusal: `${this.#connection.host} does not store the mail in ${folder}: check sent_folder`,
    });
  }

  async logOut(): Promise<void> {
    await this.#connection.write(`Q LOGOUT\r\n`);
  }

  /** Sends a command, whose bytes are sent as literals, and waits for its end. Throws where the server refuses it. */
  async #run(
    words: readonly (string | Uint8Array)[],
    { refusal, maxLiteralBytes = MAX_SMALL_LITERAL_BYTES, onResponse }: CommandOptions,
  ): Promise<void> {
    const tag = `A${(this.#commands += 1)}`;
    const connection = this.#connection;
    let line = tag;
    let chars = 0;
    const waitFor = async (isExpected: (text: string) => boolean): Promise<void> => {
      while (true) {
        const parts = await readResponse(connection, maxLiteralBytes);
        const text = String(parts[0]);
        if (text.startsWith(`${tag} `) && !text.startsWith(`${tag} OK`))
          throw buildRefusal(refusal, text.slice(tag.length + 1));
        if (isExpected(text)) return;
        if (text.startsWith("* BYE"))
          throw new MailServerError(`${connection.host} ended the session`);
        for (const part of parts) if (typeof part === "string") chars += part.length;
        if (chars > MAX_RESPONSE_CHARS)
          throw new MailServerError(`${connection.host} sent too many responses`);
        onResponse?.(parts);
      }
    };
    for (const word of words) {
      if (typeof word === "string") {
        line += ` ${word}`;
        continue;
      }
      await connection.write(`${line} {${word.byteLength}}\r\n`);
      await waitFor((text) => text.startsWith("+"));
      await connection.write(word);
      line = "";
    }
    await connection.write(`${line}\r\n`);
    await waitFor((text) => text.startsWith(`${tag} OK`));
  }
}

function buildRefusal(reason: string, status: string): MailServerError {
  const { code = "" } = readCode(status) ?? {};
  return new MailServerError(code === "" ? reason : `${reason} (${code})`, {
    ...(PERMANENT_CODES.includes(code) ? { isPermanent: true as const } : {}),
    ...(PASSING_CODES.includes(code) ? {} : { isRefusal: true as const }),
  });
}
