/** Writing to the message tree: commands, drafts, sources. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { webhookKind } from "../../../../src/source-kinds/webhook/webhook.ts";
import { createTreeScene } from "./support.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const getDraftId = (text: string): string => /d_[0-9a-z]+/.exec(text)![0];

describe("commands for messages", () => {
  it("marks and deletes", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive();
    const ctl = `mail/${id}/ctl`;

    for (const command of ["flag", "unflag", "seen", "archive\n"])
      expect((await owner.write(ctl, command)).status, command).toBe(200);
    expect(await owner.read(`mail/${id}/status`)).toBe("archived\n");
    expect(await owner.read("mail/status")).toBe("connected 1 messages 0 unseen\n");
    expect((await owner.write(ctl, "delete", {}, "PUT")).status).toBe(200);
    expect(await owner.refusal(`mail/${id}/status`)).toBe("404 not_found");
  });

  it.each(["owner", "a key for the source and its outbox"])(
    "a reply by %s is a draft that waits for an approval, and nothing is sent",
    async (who) => {
      const send = vi.spyOn(webhookKind, "send");
      const { owner, receive, limit, readDraft } = await createTreeScene();
      const id = await receive({ subject: "Water" });
      const caller = who === "owner" ? owner : await limit("msg/mail", "msg/mail/outbox");

      const answer = await caller.write(`mail/${id}/ctl`, "reply I am coming.\nsend\napprove\n");

      const draft = getDraftId(answer.text);
      expect(answer).toMatchObject({
        status: 200,
        text: `The draft ${draft} waits for the approval of an owner, and nothing is sent before.\n`,
      });
      expect(answer.headers.get("Location")).toBe(`/msg/mail/outbox/${draft}/`);
      expect(await readDraft(draft)).toMatchObject({
        state: "approval_requested",
        message: id,
        to: ["ann@elsewhere.test"],
        subject: "Re: Water",
        body: "I am coming.\nsend\napprove",
      });
      expect(send).not.toHaveBeenCalled();
    },
  );

  it("a repeated reply with the same key is one draft", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive();
    const reply = () => owner.write(`mail/${id}/ctl`, "reply Yes.", { "Idempotency-Key": "k1" });

    const [first, second] = [await reply(), await reply()];

    expect(getDraftId(second.text)).toBe(getDraftId(first.text));
    expect((await owner.list("mail/outbox/")).length).toBe(2);
  });

  it("a message is forwarded with its text by a draft that waits for an approval", async () => {
    const { receive, limit, readDraft } = await createTreeScene();
    const id = await receive();
    const caller = await limit("msg/mail", "msg/mail/outbox");

    const answer = await caller.write(`mail/${id}/ctl`, "forward ben@elsewhere.test\nPlease look.");

    const draft = await readDraft(getDraftId(answer.text));
    expect(draft).toMatchObject({ state: "approval_requested", to: ["ben@elsewhere.test"] });
    expect(draft.body).toContain("Please look.");
    expect(draft.body).toContain("The body of message 1.");
  });

  it("a reply that nobody could approve leaves no draft", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive();
    const other = await receive({}, "alerts");
    await owner.write("mail/ctl", "disconnect");

    expect(await owner.refusal(`mail/${id}/ctl`, "reply Yes.")).toBe("409 source_disconnected");
    expect(await owner.list("mail/outbox/")).toEqual(["new"]);
    expect(await owner.refusal(`alerts/${other}/ctl`, "reply Yes.")).toMatch(/ cannot_send$/);
    expect(await owner.list("alerts/outbox/")).toEqual(["new"]);
  });

  it("an unknown command, two commands and a command for another source's message change nothing", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive();
    const other = await receive({}, "alerts");

    for (const command of ["approve", "archive\ndelete", "ARCHIVE", "archive now", "send"])
      expect(await owner.refusal(`mail/${id}/ctl`, command), command).toBe("400 bad_field");
    expect(await owner.refusal(`mail/${id}/ctl`, " \n")).toBe("400 empty_message");
    expect(await owner.refusal(`mail/${id}/ctl`, "reply \n")).toBe("400 bad_field");
    expect(await owner.refusal(`mail/${id}/ctl`, `reply ${"x".repeat(50_001)}`)).toBe(
      "400 bad_field",
    );
    expect(await owner.refusal(`mail/${id}/ctl`, `reply ${"x".repeat(300_000)}`)).toBe(
      "413 too_large",
    );
    for (const command of ["archive", "reply Hi", "delete"])
      expect(await owner.refusal(`mail/${other}/ctl`, command), command).toBe("404 not_found");
    expect(await owner.read("mail/status")).toBe("connected 1 messages 1 unseen\n");
    expect(await owner.read("alerts/status")).toBe("connected 1 messages 1 unseen\n");
    expect(await owner.list("mail/outbox/")).toEqual(["new"]);
  });
});

describe("the outbox", () => {
  const MAIL = "To: ben@elsewhere.test, ann@elsewhere.test\nSubject: Hi\n\nHello.\n";

  it("a draft is written as a mail, read, revised, and discarded", async () => {
    const { owner } = await createTreeScene();

    const made = await owner.write("mail/outbox/new", MAIL);
    const id = made.text.trim();
    const path = `mail/outbox/${id}`;
    const headers = await owner.fetch(`${path}/headers`);
    const back = await owner.write(
      `${path}/headers`,
      headers.text.replace("Hi", "Hello"),
      {},
      "PUT",
    );
    const body = await owner.write(`${path}/body`, "Good day.\r\n", {}, "PUT");

    expect(made.headers.get("Location")).toBe(`/msg/${path}/`);
    expect(await owner.list("mail/outbox/")).toEqual(["new", `${id}/`]);
    expect(await owner.list(`${path}/`)).toEqual(["headers", "body", "ctl"]);
    expect(headers.text).toBe(
      "To: ben@elsewhere.test, ann@elsewhere.test\nSubject: Hi\nX-Mess-State: draft\nX-Mess-Revision: 1\nX-Mess-Author: owner\n",
    );
    expect([back.status, back.headers.get("ETag")]).toEqual([200, '"2"']);
    expect([body.status, body.headers.get("ETag")]).toEqual([200, '"3"']);
    expect(await owner.read(`${path}/headers`)).toContain("Subject: Hello\n");
    expect(await owner.read(`${path}/body`)).toBe("Good day.\n");
    expect((await owner.write(`${path}/ctl`, "discard")).status).toBe(200);
    expect(await owner.list("mail/outbox/")).toEqual(["new"]);
  });

  it("a revision of a draft that was changed in the meantime is refused", async () => {
    const { owner } = await createTreeScene();
    const id = (await owner.write("mail/outbox/new", MAIL)).text.trim();
    const path = `mail/outbox/${id}/body`;
    const etag = (await owner.fetch(path)).headers.get("ETag")!;
    await owner.write(path, "First.");

    const late = await owner.write(path, "Second.", { "If-Match": etag });
    const odd = await owner.write(path, "Second.", { "If-Match": "*" });

    expect([late.status, late.text]).toEqual([
      409,
      expect.stringMatching(/^error: draft_changed: /),
    ]);
    expect(odd.status).toBe(400);
    expect(await owner.read(path)).toBe("First.");
  });

  it("send asks for an approval and sends nothing, also for an owner's key", async () => {
    const send = vi.spyOn(webhookKind, "send");
    const { owner, readDraft } = await createTreeScene();
    const id = (await owner.write("mail/outbox/new", MAIL)).text.trim();

    const answer = await owner.write(`mail/outbox/${id}/ctl`, "send\n");

    expect(answer.text).toBe(
      `The draft ${id} waits for the approval of an owner, and nothing is sent before.\n`,
    );
    expect(await readDraft(id)).toMatchObject({ state: "approval_requested" });
    expect(send).not.toHaveBeenCalled();
    for (const command of ["approve", "send now", "send\ndiscard"])
      expect(await owner.refusal(`mail/outbox/${id}/ctl`, command), command).toBe("400 bad_field");
  });

  it("headers that a mail must not have are refused, and drafts belong to their source", async () => {
    const { owner, receive } = await createTreeScene();
    const message = await receive();
    const other = await receive();
    const reply = await owner.write("mail/outbox/new", `In-Reply-To: ${message}\n\nYes.`);
    const id = reply.text.trim();

    for (const mail of [
      "Bcc: eve@x.test\n\nHi",
      "To: a@x.test\n To: b@x.test\n\nHi",
      "Hi",
      "Subject: x\n\nHi",
    ])
      expect(await owner.refusal("mail/outbox/new", mail), mail).toMatch(/^400 /);
    expect(
      await owner.refusal("mail/outbox/new", "To: a@x.test\nSubject: a\u0085Bcc: b\n\nHi"),
    ).toBe("400 bad_field");
    expect(await owner.refusal(`mail/outbox/${id}/headers`, `In-Reply-To: ${other}`)).toBe(
      "400 bad_field",
    );
    expect(await owner.refusal(`alerts/outbox/${id}/body`)).toBe("404 not_found");
    expect(await owner.refusal(`alerts/outbox/${id}/ctl`, "discard")).toBe("404 not_found");
    expect(await owner.read(`mail/outbox/${id}/headers`)).toContain(`In-Reply-To: ${message}\n`);
  });
});

describe("sources", () => {
  it("an owner registers a source by a line or by YAML, and changes its settings", async () => {
    const { home, owner } = await createTreeScene();
    const secret = `whsec_${btoa("s".repeat(32))}`;

    const line = await owner.write(
      "ctl",
      `register webhook doors secret=${secret} title="The doors"\n`,
    );
    const yaml = await owner.write(
      "ctl",
      `register webhook gates\nsecret: ${secret}\nmap:\n  body: text\n`,
      {},
      "PUT",
    );

    expect(line.text).toMatch(
      /^The source doors of the kind webhook is registered\. Messages are sent to \S+\.\n$/,
    );
    expect(yaml.status, yaml.text).toBe(200);
    expect(await owner.list("sources")).toEqual(["alerts", "doors", "gates", "mail"]);
    expect(await home.owner.read("/sources/doors")).toMatchObject({ title: "The doors" });
    expect(JSON.stringify(await home.owner.read("/api/v1/config"))).not.toContain(secret);
    expect(await owner.refusal("ctl", "register webhook bad secret=short")).toBe("400 bad_field");
    expect(await owner.refusal("ctl", "register nothing odd")).toMatch(/^400 /);
    expect(await owner.list("sources")).toHaveLength(4);
  });

  it("an owner disconnects and connects a source, and anybody who reads it makes it look for messages", async () => {
    const { owner, limit } = await createTreeScene();
    const reader = await limit("msg/mail");

    expect((await owner.write("mail/ctl", "disconnect")).text).toBe(
      "The source mail is disconnected.\n",
    );
    expect(await owner.read("mail/status")).toBe("disconnected 0 messages 0 unseen\n");
    expect((await owner.write("mail/ctl", "connect")).text).toBe("The source mail is connected.\n");
    expect((await reader.write("mail/ctl", "idle")).status).toBe(200);
    expect(await reader.refusal("mail/ctl", "connect")).toBe("403 wrong_role");
    expect(await owner.refusal("mail/ctl", "connect\ndisconnect")).toBe("400 bad_field");
    expect(await owner.refusal("nowhere/ctl", "connect")).toBe("404 not_found");
  });

  it("the ctl files and outbox/new say what can be written to them", async () => {
    const { owner, receive } = await createTreeScene();
    const id = await receive();

    for (const [path, word] of [
      ["ctl", "register"],
      ["mail/ctl", "disconnect"],
      [`mail/${id}/ctl`, "forward"],
      ["mail/outbox/new", "In-Reply-To"],
    ] as const)
      expect(await owner.read(path), path).toContain(word);
  });
});
