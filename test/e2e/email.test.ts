import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, vi } from "vitest";
import {
  makeReplyCode,
  buildReplyAddress,
  buildThreadMessageId,
} from "../../src/auth/links/reply-codes.ts";
import { expectNaming } from "../support/naming.ts";
import { buildReply } from "../support/channels/mail.ts";
import { deliverMail } from "../support/local-servers/mail-server.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";

const ZOE = "zoe@example.com";
let stack: SharedExchange;

beforeAll(async () => {
  stack = await joinExchange();
});
interface Read {
  envelope: { status: string; history: { note?: string }[] };
  messages: { channel?: string }[];
}

const call = async (key: string, path: string, mess?: object): Promise<unknown> => {
  const response = await fetch(`${stack.ready.origin}${path}`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(mess === undefined ? {} : { method: "POST", body: JSON.stringify({ MESS: mess }) }),
  });
  expect(response.ok).toBe(true);
  return await response.json();
};

it("a started exchange sends mail and accepts replies to it only from the member", async () => {
  const { origin, household, keys } = stack.ready;
  await call(keys.owner, "/mess", [
    { config: { dispatch: { email: { from: "tasks@mess.test" } } } },
    { config: { executor: { id: "zoe", capabilities: ["juggle"], notify: { email: ZOE } } } },
  ]);
  const asked = (await call(keys.agent, "/mess", [
    { request: { intent: "juggle three balls", requires: ["juggle"] } },
  ])) as { MESS: [{ ack: { ref: string } }] };
  const { ref } = asked.MESS[0].ack;
  const read = async (): Promise<Read> => (await call(keys.agent, `/mess/${ref}`)) as Read;
  await vi.waitFor(
    async () =>
      expect((await read()).envelope.history).toContainEqual(
        expect.objectContaining({ action: "dispatched", note: expectNaming("zoe", "email") }),
      ),
    { timeout: 10_000, interval: 50 },
  );

  // The reply code is computed again, since the simulated binding stores only the mail's text.
  const secrets = readFileSync(join(stack.state, "secrets.env"), "utf8");
  const secret = /^MESS_SECRET=(.*)$/m.exec(secrets)?.[1] ?? "";
  const code = await makeReplyCode(secret, { household, ref }, ZOE);
  const cited = buildThreadMessageId(code, "mess.test");
  const mail = {
    from: { email: "tasks@mess.test", name: "MESS" },
    to: ZOE,
    replyTo: buildReplyAddress(code, "mess.test"),
    subject: "juggle three balls",
    text: "juggle three balls\n",
    html: "",
    headers: { "In-Reply-To": cited, References: cited },
  };
  const eve = { ...buildReply(mail, { text: "done", from: "eve@example.com" }) };

  expect(await deliverMail(origin, eve)).toMatch(/^5\.7\.1 /);
  expect(await deliverMail(origin, buildReply(mail, { text: "1" }))).toBeUndefined();
  expect(await deliverMail(origin, buildReply(mail, { text: "Done." }))).toBeUndefined();

  const { envelope, messages } = await read();
  expect(envelope.status).toBe("completed");
  expect(messages.filter(({ channel }) => channel === "email")).toHaveLength(2);
});
