/**
 * A household as its owner has set it up: mail, alerts and a chat as message sources, a classifier, and the owner's own
 * phone in Telegram. Services outside are local servers; nothing inside is replaced.
 */
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { emailKind } from "../../../../src/source-kinds/email/email.ts";
import { sendSourceMail } from "../../../../src/source-kinds/email/send.ts";
import { getSourceStub } from "../../../../src/stubs.ts";
import {
  type ClassifierScript,
  createScriptedClassifier,
  readPromptedMessage,
} from "../../../support/channels/classifier.ts";
import { buildMail, createPostOffice } from "../../../support/channels/mail.ts";
import { buildFakeWebhookSecret } from "../../household/support.ts";
import { createTelegramHousehold } from "../../ingress/chats/telegram-household.ts";
import { deliverMail } from "../../ingress/email/mail-household.ts";
import { reachOutside } from "../../ingress/local-services.ts";
import { postSignedJson } from "../../source-kinds/signed-request.ts";
import { type Answered, Caller, expectOkJson, waitUntil } from "../../support.ts";
import { confirmChat } from "../support.ts";

/** The owner's private chat. */
export const PHONE = 1_003;
const MODEL = "https://model.test";
const RECEIVER = "https://receiver.test";
export const SENDER = "somebody@elsewhere.example";

type MailTexts = Partial<Parameters<typeof buildMail>[0]>;

export async function createWholeScene() {
  const home = await createTelegramHousehold();
  const { owner, server, id } = home;
  await server.act.start(PHONE);
  const scene = {
    /** The classifier's answer to a message, as its prompt shows it. */
    answer: (_message: string): ClassifierScript | Promise<ClassifierScript> =>
      "TIER: DEFER\nREASON: It can wait.",
  };
  const model = createScriptedClassifier({
    apiKey: "sk-home",
    answer: (request) => scene.answer(readPromptedMessage(request)),
  });
  const posted: { key: string; body: Answered }[] = [];
  reachOutside({
    "https://api.telegram.org": server.handle,
    [MODEL]: model.handle,
    [RECEIVER]: async (request) => {
      const key = request.headers.get("webhook-id") ?? "";
      // Sources of other tests may still be sending.
      if (request.url.endsWith(`/${id}`)) posted.push({ key, body: await request.json() });
      return new Response(null, { status: 204 });
    },
  });
  const office = createPostOffice();
  vi.spyOn(emailKind, "send").mockImplementation(async (context, message) =>
    context.household === id
      ? await sendSourceMail(
          { ...context, env: { ...context.env, SEND_EMAIL: office.binding } },
          message,
        )
      : await sendSourceMail(context, message),
  );
  const secret = buildFakeWebhookSecret("alerts");
  const classifier = { kind: "openai", url: `${MODEL}/v1`, model: "small", api_key: "sk-home" };
  await expectOkJson(
    await owner.postBlocks(
      { config: { dispatch: { alerts: { telegram: PHONE } } } },
      {
        config: {
          sources: {
            mail: { kind: "email", from: "home@mess.test" },
            alerts: { kind: "webhook", secret, url: `${RECEIVER}/${id}` },
            chat: { kind: "telegram" },
            private: { kind: "webhook", secret },
          },
          messages: { classifier },
        },
      },
    ),
  );
  await confirmChat({ id, actor: owner.actor }, { channel: "telegram", address: String(PHONE) });
  await waitUntil(async () => expect((await owner.read("/sources")).sources).toHaveLength(4));

  const addLimitedKey = async (actor: string, ...paths: string[]): Promise<Caller> => {
    const made = await expectOkJson(
      await owner.post("/api/v1/keys", { actor, role: "agent", paths }),
    );
    return new Caller(actor, made.key as string);
  };
  const mail = async (texts: MailTexts): Promise<void> => {
    const to = `mail.${id}@mess.test`;
    const sent = buildMail({ from: SENDER, to, subject: "Hello", ...texts });
    expect(await deliverMail(sent)).toBeUndefined();
  };
  const alert = async (source: string, key: string, body: object): Promise<void> =>
    void (await expectOkJson(
      await postSignedJson(`/hooks/sources/${id}/${source}`, secret, key, body),
    ));
  const listMessages = async (source: string, query = ""): Promise<Answered[]> =>
    (await owner.read(`/sources/${source}/messages?limit=100${query}`)).messages;
  /** The newest message of the source as soon as it has a tier. */
  const waitForNewest = async (source: string, subject: string): Promise<Answered> =>
    await waitUntil(async () => {
      const [newest] = await listMessages(source);
      expect(newest).toMatchObject({ subject, tier: expect.any(String) });
      return newest;
    });
  const listDrafts = async (source: string, state: string): Promise<Answered[]> =>
    (await owner.read(`/sources/${source}/drafts?limit=100&state=${state}`)).drafts;
  const stub = (source: string) => getSourceStub(env, id, source);
  return Object.assign(scene, {
    home,
    office,
    model,
    posted,
    addLimitedKey,
    mail,
    alert,
    listMessages,
    waitForNewest,
    listDrafts,
    stub,
  });
}
export type WholeScene = Awaited<ReturnType<typeof createWholeScene>>;
