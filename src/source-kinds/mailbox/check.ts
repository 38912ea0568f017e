/** Tries the settings of a mailbox when an owner saves them: logs in to both servers, and opens the folder. */
import type { KindContext, KindFailure } from "../source-kind.ts";
import { findServers, getUser, type MailboxSettings } from "./config.ts";
import { withMailServer } from "./mail-connection.ts";
import { SmtpSession } from "./smtp-session.ts";
import { withMailbox } from "./with-mailbox.ts";

/** An owner waits for the result. */
const CHECK_TIMEOUT_MS = 10_000;

/** @returns what is wrong, and how to correct it */
export async function checkMailbox(context: KindContext<MailboxSettings>): Promise<string[]> {
  const results = await Promise.all([
    withMailbox(context, CHECK_TIMEOUT_MS, () => Promise.resolve()),
    checkSending(context),
  ]);
  return results.flatMap((result) => (result.ok ? [] : [result.reason]));
}

async function checkSending({
  settings,
  egress,
}: KindContext<MailboxSettings>): Promise<{ ok: true } | ({ ok: false } & KindFailure)> {
  const server = findServers(settings).smtp;
  if (!server) return { ok: true };
  return await withMailServer(
    egress,
    { server, field: "smtp_host and smtp_port", timeoutMs: CHECK_TIMEOUT_MS },
    async (connection) => {
      const session = await SmtpSession.open(connection);
      await session.logIn(getUser(settings), settings.password);
      await session.logOut().catch(() => undefined);
    },
  );
}
