/** A test household that notifies Ann by email, with a local post office in place of the mail service. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { CHANNELS } from "../../../../src/channels/registry.ts";
import { email } from "../../../../src/channels/email/send.ts";
import worker from "../../../../src/index.ts";
import {
  type Answer,
  buildReply,
  type Delivered,
  createPostOffice,
  type SentMail,
} from "../../../support/channels/mail.ts";
import { type Answered, waitUntil, expectOkJson, createFreshHousehold } from "../../support.ts";

export const ANN = "ann@example.com";

type Office = ReturnType<typeof createPostOffice>;

const offices = new Map<string, Office>();

/** The email channel, which sends the mails of a household with a post office to that. */
const routed: typeof email = {
  ...email,
  send: async (sender, to, notice) => {
    const binding = offices.get(notice.household)?.binding as unknown as SendEmail | undefined;
    const bindings = binding ? { ...sender.env, SEND_EMAIL: binding } : sender.env;
    return await email.send({ ...sender, env: bindings }, to, notice);
  },
};

/** Creates the post office that receives the household's mails from now on. */
export function getPostOffice(household: string): Office {
  (CHANNELS as { email: unknown }).email = routed;
  const office = createPostOffice();
  offices.set(household, office);
  return office;
}

/** Delivers a mail to the Worker; resolves with the reason if it was rejected. */
export async function deliverMail(
  { from, to, raw }: Delivered,
  size?: number,
): Promise<string | undefined> {
  let refused: string | undefined;
  const bytes = new TextEncoder().encode(raw);
  const message = {
    from,
    to,
    raw: new Response(bytes).body,
    rawSize: size ?? bytes.byteLength,
    setReject: (reason: string) => (refused = reason),
  };
  await worker.email(message as unknown as ForwardableEmailMessage, env);
  return refused;
}

/** Creates the household and a thread whose offer was sent to Ann. */
export async function createMailHousehold() {
  const home = await createFreshHousehold();
  const office = getPostOffice(home.id);
  await expectOkJson(
    await home.owner.postBlocks(
      { config: { dispatch: { email: { from: "tasks@mess.test" } } } },
      { config: { executor: { id: "ann", capabilities: ["look"], notify: { email: ANN } } } },
    ),
  );
  /** Creates a thread; resolves when the delivery of its mail to Ann is recorded. */
  const createMailThread = async (intent: string): Promise<{ ref: string; sent: SentMail }> => {
    const ref = await home.agent.createThread(intent, { requires: ["look"] });
    const sent = await waitUntil(async () => {
      const { deliveries } = await home.agent.read(`/mess/${ref}/deliveries`);
      expect(deliveries).toMatchObject([{ state: "delivered", channel: "email" }]);
      return office.messages.find((mail) => mail.replyTo.includes(`_${ref}_`));
    });
    return { ref, sent: sent! };
  };
  const { ref, sent } = await createMailThread("check what is in the fridge");
  const answer = (given: Answer): Promise<string | undefined> =>
    deliverMail(buildReply(sent, given));
  const readThread = async (one: string): Promise<Answered> =>
    await home.agent.read(`/mess/${one}`);
  const readOwnThread = () => readThread(ref);
  const listMessagesIn = async (one: string): Promise<Answered[]> =>
    (await readThread(one)).messages.filter(
      ({ channel }: { channel?: string }) => channel === "email",
    );
  const listMailMessages = () => listMessagesIn(ref);
  return {
    ...home,
    office,
    createMailThread,
    ref,
    sent,
    answer,
    readThread,
    readOwnThread,
    listMessagesIn,
    listMailMessages,
  };
}
