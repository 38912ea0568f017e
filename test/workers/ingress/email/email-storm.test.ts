/** Tests repeated, reordered, forged and automatic mails. RELIABILITY_CASES sets their number. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type Answer,
  buildReply,
  buildBounce,
  type SentMail,
} from "../../../support/channels/mail.ts";
import { PNG } from "../../../support/media/png.ts";
import { createSeededRandom } from "../../../support/generators/random.ts";
import { type Answered, waitUntil } from "../../support.ts";
import { snapshotThread } from "../thread-snapshot.ts";
import { deliverMail, createMailHousehold } from "./mail-household.ts";

const MAILS = Math.ceil(Number(env.RELIABILITY_CASES) / 2);
const SEED = Number(env.RELIABILITY_SEED);
const COPIES = 3;

/** The messages of a member about one task, in order. */
const SCRIPT: readonly Answer[] = [
  { text: "1" },
  { text: "under the sofa", files: [{ name: "sofa.png", type: "image/png", bytes: PNG }] },
  { text: "or behind it" },
  { text: "Done" },
];

/** Changes that make a reply a forgery. */
const FORGERIES: readonly ((mail: SentMail, text: string) => Parameters<typeof deliverMail>[0])[] =
  [
    (mail, text) => buildReply(mail, { text, from: "eve@example.com" }),
    (mail, text) =>
      buildReply(mail, { text, headers: { "Authentication-Results": "mx.mess.test; dmarc=fail" } }),
    (mail, text) => buildReply({ ...mail, to: "ben@example.com" }, { text }),
    (mail, text) => {
      const bare = { ...mail, replyTo: "reply@mess.test", headers: {} };
      return buildReply(bare, { text });
    },
  ];

afterEach(() => vi.restoreAllMocks());

it(
  `${MAILS} mails, each ${COPIES} times and out of turn among forged ones, leave what each leaves alone (seed ${SEED})`,
  async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    const random = createSeededRandom(SEED);
    const { agent, createMailThread } = await createMailHousehold();
    let late: Parameters<typeof deliverMail>[0][] = [];
    let forgedTaken = 0;
    let sent = 0;
    for (let at = 0; at < Math.ceil(MAILS / SCRIPT.length); at++) {
      const alone = await createMailThread(`look for the keys, ${at}`);
      const stormy = await createMailThread(`look for the keys, ${at}`.replace(",", ":"));
      for (const listMailMessages of SCRIPT) {
        expect(await deliverMail(buildReply(alone.sent, listMailMessages))).toBeUndefined();
        const one = buildReply(stormy.sent, listMailMessages);
        // Copies of earlier messages arrive at the same time, also those of earlier tasks.
        const early = late.filter(() => random.next() < 0.3);
        late = late.filter((copy) => !early.includes(copy));
        const refused = await Promise.all(
          [...early, one, ...(random.next() < 0.3 ? [one] : [])].map((mail) => deliverMail(mail)),
        );
        expect(refused.filter((reason) => reason !== undefined)).toEqual([]);
        const forge = FORGERIES[random.pickBetween(0, FORGERIES.length - 1)]!;
        if ((await deliverMail(forge(stormy.sent, "0"))) === undefined) forgedTaken += 1;
        sent += refused.length + 1;
        late.push(...Array.from({ length: COPIES - 1 }, () => one));
      }
      expect(await snapshotThread(agent, stormy.ref, "email"), `thread ${at}, seed ${SEED}`).toBe(
        await snapshotThread(agent, alone.ref, "email"),
      );
    }
    for (const copy of late) expect(await deliverMail(copy)).toBeUndefined();

    expect(forgedTaken).toBe(0);
    expect(sent + late.length).toBeGreaterThan(MAILS * COPIES);
  },
  120_000 + MAILS * 500,
);

describe("one mail a hundred times", () => {
  it("a mail that arrives a hundred times is stored once: in parallel, after other mails, and after the end", async () => {
    const { sent, answer, readOwnThread, listMailMessages } = await createMailHousehold();
    const mail = buildReply(sent, {
      text: "Two eggs.",
      files: [{ name: "fridge.png", type: "image/png", bytes: PNG }],
    });
    const deliverTimes = (times: number) =>
      Promise.all(Array.from({ length: times }, () => deliverMail(mail)));

    const refused = await deliverTimes(50);
    await answer({ text: "And milk." });
    refused.push(...(await deliverTimes(25)));
    await answer({ text: "Done" });
    expect((await readOwnThread()).envelope.status).toBe("completed");
    refused.push(...(await deliverTimes(25)));

    expect(refused).toEqual(refused.map(() => undefined));
    expect(await listMailMessages()).toHaveLength(3);
    expect((await readOwnThread()).attachments).toHaveLength(1);
  });

  it("a forged mail that arrives a hundred times is refused each time, and nothing is stored", async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    const { sent, readOwnThread, listMailMessages } = await createMailHousehold();
    const mail = buildReply(sent, { text: "done", from: "eve@example.com" });

    const refused = await Promise.all(Array.from({ length: 100 }, () => deliverMail(mail)));

    expect(refused.filter((reason) => reason?.startsWith("5.7.1 "))).toHaveLength(100);
    expect(new Set(refused).size).toBe(1);
    expect(await listMailMessages()).toEqual([]);
    expect((await readOwnThread()).envelope.status).toBe("pending");
  });
});

describe("mails out of order", () => {
  it("mails are stored in the order in which they arrive, and copies are ignored", async () => {
    const { sent, readOwnThread, listMailMessages } = await createMailHousehold();
    const mails = SCRIPT.toReversed().map((given) => buildReply(sent, given));

    for (const mail of mails) expect(await deliverMail(mail)).toBeUndefined();
    const before = await listMailMessages();
    await Promise.all([...mails, ...mails.toReversed()].map((mail) => deliverMail(mail)));

    expect((await readOwnThread()).envelope).toMatchObject({
      status: "completed",
      executor: "ann",
    });
    expect((await readOwnThread()).attachments).toHaveLength(1);
    expect(before.map(({ MESS }: Answered) => JSON.stringify(MESS))).toEqual([
      expect.stringContaining("completed"),
      expect.stringContaining("or behind it"),
      expect.stringContaining("under the sofa"),
      expect.stringContaining("1"),
    ]);
    expect(await listMailMessages()).toEqual(before);
  });
});

describe("automatic mails", () => {
  const VACATION = { "Auto-Submitted": "auto-replied", Subject: "Out of office: fridge" };

  it("a hundred automatic mails get no reply, so that no mail loop begins", async () => {
    const { office, agent, ref, sent, answer, listMailMessages, readOwnThread } =
      await createMailHousehold();
    const before = office.messages.length;

    for (let round = 0; round < 20; round++)
      await Promise.all([
        answer({ text: "I am away until Monday.", headers: VACATION }),
        answer({ text: sent.text, headers: { "Auto-Submitted": "auto-generated" } }),
        answer({ text: "list", headers: { "List-Id": "<home.lists.example>" } }),
        answer({ text: "1", headers: { "X-Loop": "tasks@mess.test" } }),
        deliverMail(buildBounce(sent, "4.2.2")),
      ]);

    expect(await listMailMessages()).toEqual([]);
    expect((await readOwnThread()).envelope.status).toBe("pending");
    expect(office.messages).toHaveLength(before);
    // A notice to the person is one mail, even if their mail program sends an automatic reply.
    await answer({ text: "1" });
    await agent.appendBlocks(ref, { followup: { message: "The blue one." } });
    await waitUntil(async () => expect(office.messages).toHaveLength(before + 1));
    await deliverMail(
      buildReply(office.messages.at(-1)!, { text: "I am away.", headers: VACATION }),
    );
    expect(office.messages).toHaveLength(before + 1);
    expect(await listMailMessages()).toHaveLength(1);
  });

  it("a hundred bounce reports about one mail cause one retry", async () => {
    const { agent, ref, sent, readOwnThread } = await createMailHousehold();
    const reports = Array.from({ length: 100 }, () => buildBounce(sent, "5.7.1"));

    await Promise.all(reports.slice(0, 50).map((one) => deliverMail(one)));
    for (const one of reports.slice(50)) await deliverMail(one);

    const failed = (await readOwnThread()).envelope.history.filter(
      ({ action }: { action: string }) => action === "delivery_failed",
    );
    expect(failed).toHaveLength(1);
    expect((await agent.read(`/mess/${ref}/deliveries`)).deliveries).toMatchObject([
      { attempts: 1 },
    ]);
  });
});
