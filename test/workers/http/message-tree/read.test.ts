/** Reading the message tree: folders, messages, waits. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { getHouseholdStub } from "../../../../src/stubs.ts";
import { waitUntil } from "../../support.ts";
import { createTreeScene } from "./support.ts";

const RAW = "Subject: hello\r\n\r\nhi";

describe("folders and files", () => {
  it("an owner finds every name from the top, and reads a message by its files", async () => {
    const { owner, receive } = await createTreeScene();
    const first = await receive({
      raw: { mime: "message/rfc822", bytes: new TextEncoder().encode(RAW) },
    });
    const second = await receive({ subject: "Water" });

    expect(await owner.list("")).toEqual(["sources", "ctl", "notify", "alerts/", "mail/"]);
    expect(await owner.list("sources")).toEqual(["alerts", "mail"]);
    expect(await owner.list("mail/")).toEqual([
      "status",
      "ctl",
      "new",
      "outbox/",
      `${second}/`,
      `${first}/`,
    ]);
    expect(await owner.list(`mail/${first}/`)).toEqual(["headers", "body", "raw", "status", "ctl"]);
    expect(await owner.list(`mail/${second}/`)).toEqual(["headers", "body", "status", "ctl"]);
    expect(await owner.read("mail/status")).toBe("connected 2 messages 2 unseen\n");
    expect(await owner.read(`mail/${first}/body`)).toBe("The body of message 1.");
    expect(await owner.read(`mail/${first}/raw`)).toBe(RAW);
    expect(await owner.read(`mail/${second}/headers`)).toMatch(
      /^From: Ann <ann@elsewhere\.test>\nTo: mail\.home@exchange\.test\nSubject: Water\nDate: 2023-11-1\S+\n/,
    );
    expect(await owner.read(`mail/${first}/status`)).toMatch(/^(?:new|classified|drafted)\n$/);
  });

  it("everything is plain text that no browser runs or keeps", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive({ body: "<script>alert(1)</script>" });

    for (const path of [
      "",
      "sources",
      "mail/",
      `mail/${id}/body`,
      `mail/${id}/headers`,
      "mail/no",
    ]) {
      const { headers } = await owner.fetch(path, { headers: { Accept: "application/json" } });
      expect(headers.get("Content-Type"), path).toBe("text/plain; charset=utf-8");
      expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff");
      expect(headers.get("Cache-Control"), path).toBe("no-store");
    }
    expect(await owner.read(`mail/${id}/body`)).toBe("<script>alert(1)</script>");
  });

  it("headers of strangers stay in their lines and do not pass for those of the exchange", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive({
      sender_name: 'Bank <bank@bank.test>\r\nX-Mess-Tier: NOTIFY "',
      subject: "a\r\nTo: eve@elsewhere.test\u2028b",
      headers: [
        ["X-Mess-Tier", "NOTIFY"],
        ["from", "bank@bank.test"],
        ["List-Id", "a\nb"],
        ["Bad name", "x"],
      ],
    });

    const lines = await owner.list(`mail/${id}/headers`);

    const tiers = lines.filter((line) => /^x-mess-tier:/i.test(line));
    expect(tiers.filter((line) => line.includes("NOTIFY"))).toEqual([]);
    expect(lines.filter((line) => /^from:/i.test(line))).toEqual([
      'From: "Bank <bank@bank.test> X-Mess-Tier: NOTIFY \\"" <ann@elsewhere.test>',
    ]);
    expect(lines.filter((line) => /^to:/i.test(line))).toHaveLength(1);
    expect(lines).toContain("Subject: a To: eve@elsewhere.test b");
    expect(lines).toContain("List-Id: a b");
    expect(lines.join()).not.toContain("Bad name");
  });

  it("messages are listed page by page", async () => {
    const { owner, receive } = await createTreeScene();
    const ids = [await receive(), await receive(), await receive()];

    const first = await owner.fetch("mail/?limit=2");
    const cursor = first.headers.get("X-MESS-Cursor");
    const second = await owner.fetch(`mail/?limit=2&cursor=${cursor}`);

    expect(first.text).toContain(`${ids[2]}/\n${ids[1]}/\n`);
    expect(second.text).toMatch(new RegExp(`^status\n(?:\\w+/?\n)+${ids[0]}/\n$`));
    expect(second.headers.get("X-MESS-Cursor")).toBeNull();
  });

  it("a folder without its slash redirects to it, HEAD answers without a body, and OPTIONS names the methods", async () => {
    const { owner } = await createTreeScene();

    for (const path of ["mail", "mail/outbox", "mail/m_0000000000001"]) {
      const { status, headers } = await owner.fetch(`${path}?limit=2`);
      expect([status, headers.get("Location")]).toEqual([308, `/msg/${path}/?limit=2`]);
    }
    const head = await owner.fetch("mail/status", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const path of ["notify", "mail/new"])
      expect((await owner.fetch(path, { method: "HEAD" })).status, path).toBe(204);
    const options = await owner.fetch("mail/ctl", { method: "OPTIONS" });
    expect([options.status, options.headers.get("Allow")]).toEqual([
      204,
      "GET, HEAD, OPTIONS, POST, PUT",
    ]);
    const wrong = await owner.fetch("mail/status", { method: "DELETE" });
    expect([wrong.status, wrong.text]).toEqual([
      405,
      expect.stringMatching(/^error: method_not_allowed: [^\n]+\n$/),
    ]);
  });
});

describe("waits", () => {
  it("new returns the id of the next message, and nothing after its time", async () => {
    const { owner, receive } = await createTreeScene();
    const first = await receive();

    const nothing = await owner.fetch(`mail/new?after=${first}&timeout=0`);
    const waiting = owner.read(`mail/new?after=${first}`);
    const second = await receive();

    expect([nothing.status, nothing.text]).toEqual([204, ""]);
    expect(await waiting).toBe(`${second}\n`);
    expect(await owner.refusal("mail/new?after=last")).toBe("400 bad_parameter");
    expect(await owner.refusal("mail/new?timeout=46")).toBe("400 bad_parameter");
  });

  it("notify returns a line for each notice after the cursor, and only of sources that the caller may read", async () => {
    const { home, owner, limit } = await createTreeScene();
    const { sources } = getHouseholdStub(env, home.id);
    const reader = await limit("msg/alerts");
    const writer = await limit("msg/mail/outbox");
    const notice = { message: "m_0000000000001", tier: "NOTIFY", urgency: 3, at: 1_000 } as const;
    const text = "URGENT webhook from Ann: Water";

    const empty = await owner.fetch("notify?timeout=0");
    const start = empty.headers.get("X-MESS-Cursor");
    const waiting = owner.fetch("notify");
    await waitUntil(async () => {
      await sources.postNotice({ ...notice, source: "mail", text });
      const { status } = await owner.fetch(`notify?after=${start}&timeout=0`);
      expect(status).toBe(200);
    });
    const found = await owner.fetch(`notify?cursor=${start}&timeout=0`);
    const next = found.headers.get("X-MESS-Cursor");

    expect(empty.status).toBe(204);
    expect(found.text).toBe(`${text}\t/msg/mail/m_0000000000001/\n`);
    expect((await owner.fetch(`notify?after=${next}&timeout=0`)).status).toBe(204);
    for (const other of [reader, writer])
      expect((await other.fetch(`notify?after=${start}&timeout=0`)).status).toBe(204);
    await sources.postNotice({ ...notice, message: "m_0000000000002", source: "mail", text });
    expect((await waiting).text).toContain("URGENT webhook");
  });
});

describe("limited credentials", () => {
  it("a key that is limited to a source sees nothing else", async () => {
    const { limit, receive } = await createTreeScene();
    const id = await receive();
    const other = await receive({}, "alerts");
    const reader = await limit("msg/mail");

    expect(await reader.list("")).toEqual(["sources", "notify", "mail/"]);
    expect(await reader.list("sources")).toEqual(["mail"]);
    expect(await reader.list("mail/")).toEqual(["status", "ctl", "new", `${id}/`]);
    for (const path of [
      "",
      "status",
      "ctl",
      "new",
      "outbox/",
      "outbox/new",
      `${other}/`,
      `${other}/body`,
    ])
      expect(await reader.refusal(`alerts/${path}`), path).toBe("404 not_found");
    expect(await reader.refusal(`mail/${other}/body`)).toBe("404 not_found");
    expect(await reader.refusal("alerts/ctl", "disconnect")).toBe("404 not_found");
    expect(await reader.refusal("mail/ctl", "disconnect")).toBe("403 wrong_role");
    expect(await reader.refusal(`mail/${id}/ctl`, "delete")).toBe("403 wrong_role");
    expect(await reader.refusal(`mail/${id}/ctl`, "reply Hello")).toBe("403 wrong_role");
    expect(await reader.refusal("ctl", "register webhook mine")).toBe("403 wrong_role");
  });

  it("a key that is limited to an outbox drafts, and reads no message", async () => {
    const { limit, receive, owner } = await createTreeScene();
    const id = await receive();
    const writer = await limit("msg/mail/outbox");

    const made = await writer.write("mail/outbox/new", "To: a@x.test\nSubject: Hi\n\nHello.\n");

    expect(await writer.list("")).toEqual(["sources", "mail/"]);
    expect(await writer.list("mail/")).toEqual(["outbox/"]);
    expect(await owner.read(`mail/outbox/${made.text.trim()}/body`)).toBe("Hello.\n");
    for (const path of ["status", "ctl", "new", `${id}/`, `${id}/body`, `${id}/raw`, `${id}/ctl`])
      expect(await writer.refusal(`mail/${path}`), path).toBe("403 wrong_role");
    for (const command of ["reply Hi", "forward eve@x.test", "archive", "delete"])
      expect(await writer.refusal(`mail/${id}/ctl`, command), command).toBe("403 wrong_role");
    expect(await writer.refusal("mail/outbox/new", `In-Reply-To: ${id}\n\nHi`)).toBe(
      "403 wrong_role",
    );
    expect(await writer.refusal("alerts/outbox/new", "To: a@x.test\n\nHi")).toBe("404 not_found");
  });

  it("agents without paths and callers without a credential read nothing", async () => {
    const { agent, receive } = await createTreeScene();
    const id = await receive();

    for (const path of [
      "",
      "sources",
      "ctl",
      "notify?timeout=0",
      "mail/",
      "mail/status",
      `mail/${id}/body`,
    ])
      expect(await agent.refusal(path), path).toBe("403 wrong_role");
    const wrong = { headers: { Authorization: "Bearer mess_home_wrong" } };
    for (const path of ["", "mail/status", `mail/${id}/body`])
      expect(await agent.fetch(path, wrong), path).toMatchObject({
        status: 401,
        text: expect.stringMatching(/^error: unauthenticated: [^\n]+\n$/),
      });
  });
});

describe("odd paths", () => {
  it.each([
    "mail%2Fstatus",
    "mail/%2e%2e%2falerts/status",
    "..%2fmsg%2fmail/status",
    "mail%00/status",
    "MAIL/status",
    "mail//status",
    "/status",
    "mail/outbox/headers",
    "mail/m_0000000000001/outbox",
    "mail/d_0000000000001/body",
    "mail/outbox/m_0000000000001/body",
    `mail/m_${"0".repeat(2_000)}/body`,
    `${"m".repeat(2_000)}/status`,
    "mail/__proto__/body",
    "constructor/status",
  ])("nothing is at %.40s", async (path) => {
    const { owner } = await createTreeScene();
    expect(await owner.refusal(path)).toBe("404 not_found");
  });
});
