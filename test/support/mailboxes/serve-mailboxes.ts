/** Global setup of the tests in workerd, which cannot run servers: makes mailboxes for them, controlled over HTTP. */
import type { TestProject } from "vitest/node";
import { serveLocally } from "../local-servers/serve.ts";
import type { SmtpFault } from "./account.ts";
import { MailboxAccount } from "./mailbox-account.ts";

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const accounts: MailboxAccount[] = [];
  const { origin, stop } = await serveLocally(async (request) => {
    const [, id, action] = new URL(request.url).pathname.split("/");
    if (!id) {
      accounts.push(await MailboxAccount.start());
      return Response.json({ id: accounts.length - 1, ...accounts.at(-1)!.describe() });
    }
    const account = accounts[Number(id)]!;
    if (action === "mails")
      account.deliver(Buffer.from(await request.arrayBuffer()).toString("binary"));
    if (action === "renumber") account.renumber();
    if (action === "fault") account.fault = ((await request.text()) || undefined) as SmtpFault;
    return Response.json(account.describe());
  });
  project.provide("mailboxes", origin);
  return async () => {
    for (const account of accounts) account.stop();
    await stop();
  };
}
