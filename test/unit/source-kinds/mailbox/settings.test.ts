/** Settings of mailboxes: known providers, servers that are allowed, and errors that name the field. */
import { describe, expect, it } from "vitest";
import { checkMailServer } from "../../../../src/egress/egress-address.ts";
import { findServers, mailboxSettingsSchema } from "../../../../src/source-kinds/mailbox/config.ts";

const parse = (settings: object) =>
  mailboxSettingsSchema.safeParse({ password: "hunter2", ...settings });
const OWN = { address: "ann@own.example", imap_host: "imap.own.example" };

describe("the servers of a mailbox", () => {
  it("are those of a known provider, unless the settings name others", () => {
    const { data } = parse({ address: "Ann@iCloud.com" });
    const { data: changed } = parse({ address: "ann@icloud.com", smtp_host: "smtp.own.example" });

    expect(findServers(data!)).toEqual({
      imap: { host: "imap.mail.me.com", port: 993 },
      smtp: { host: "smtp.mail.me.com", port: 587 },
    });
    expect(findServers(changed!).smtp).toEqual({ host: "smtp.own.example", port: 465 });
  });

  it.each([
    [{ address: "ann@own.example" }, "imap_host"],
    [{ address: "ann@outlook.com", imap_host: "outlook.office365.com" }, "address"],
    [{ address: "änn@own.example", imap_host: "imap.own.example" }, "address"],
    [{ ...OWN, imap_host: "192.168.1.1" }, "imap_host"],
    [{ ...OWN, imap_host: "nas.local" }, "imap_host"],
    [{ ...OWN, imap_port: 25 }, "imap_port"],
    [{ ...OWN, smtp_host: "smtp.own.example", smtp_port: 25 }, "smtp_port"],
    [{ ...OWN, smtp_host: "smtp.own.example\r\nQUIT" }, "smtp_host"],
    [{ ...OWN, password: "" }, "password"],
  ])("%j is refused because of %s", (settings, field) => {
    expect(parse(settings).error?.issues.map(({ path }) => path.join("."))).toContain(field);
  });
});

describe("a connection to a mail server", () => {
  const STRICT = { loopback: false, origin: "https://mess.own.example" };

  it("is encrypted from the start or by STARTTLS, by its port", () => {
    const check = (port: number) => checkMailServer({ host: "mail.other.example", port }, STRICT);

    expect([993, 465, 143, 587].map((port) => check(port))).toMatchObject(
      ["tls", "tls", "starttls", "starttls"].map((value) => ({ ok: true, value })),
    );
    expect([25, 110, 443, 2525, 0].map((port) => check(port).ok)).not.toContain(true);
  });

  it.each([
    "127.0.0.1",
    "localhost",
    "localhost.",
    "10.0.0.1",
    "169.254.169.254",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "::1",
    "printer",
    "nas.local",
    "router.home",
    "own.example",
    "imap.mess.own.example",
    "user@imap.other.example",
    "imap.other.example:993",
    "imap.other.example/",
    "",
  ])("is not made to %j", (host) => {
    expect(checkMailServer({ host, port: 993 }, STRICT).ok).toBe(false);
  });

  it("is unencrypted only to this machine, where the deployment allows that", () => {
    const server = { host: "127.0.0.1", port: 1143 };

    expect(checkMailServer(server, { ...STRICT, loopback: true })).toMatchObject({ value: "none" });
    expect(
      checkMailServer({ ...server, host: "mail.x.test" }, { ...STRICT, loopback: true }).ok,
    ).toBe(false);
  });
});
