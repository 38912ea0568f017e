/** Logs in to the IMAP server of a source, and opens its folder. */
import type { KindContext, KindFailure } from "../source-kind.ts";
import { findServers, getUser, type MailboxSettings } from "./config.ts";
import { ImapSession, type OpenedFolder } from "./imap-session.ts";
import { withMailServer } from "./mail-connection.ts";

export type MailboxContext = Pick<KindContext<MailboxSettings>, "settings" | "egress">;

export async function withMailbox<T>(
  { settings, egress }: MailboxContext,
  timeoutMs: number,
  work: (session: ImapSession, opened: OpenedFolder) => Promise<T>,
): Promise<{ ok: true; value: T } | ({ ok: false } & KindFailure)> {
  const server = findServers(settings).imap!;
  return await withMailServer(
    egress,
    { server, field: "imap_host and imap_port", timeoutMs },
    async (connection) => {
      const session = await ImapSession.open(connection);
      await session.logIn(getUser(settings), settings.password);
      const value = await work(session, await session.openFolder(settings.folder));
      // Everything was read: a server that closes first is no failure.
      await session.logOut().catch(() => undefined);
      return value;
    },
  );
}
