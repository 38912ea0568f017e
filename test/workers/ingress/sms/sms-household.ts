/** A test household that notifies Ann and Ben by SMS. */
import { expect } from "vitest";
import { createTwilio, readTwimlMessage, type SmsIn } from "../../../support/channels/twilio.ts";
import {
  createFreshHousehold,
  expectOkJson,
  ORIGIN,
  sendRequest,
  waitUntil,
} from "../../support.ts";
import { reachOutside } from "../local-services.ts";

export const ANN = "+15005550101";
export const BEN = "+15005550102";

export async function createSmsHousehold() {
  const home = await createFreshHousehold();
  const hook = `${ORIGIN}/hooks/twilio/${home.id}`;
  const phones = createTwilio({
    hook,
    deliver: async (request) => await sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.twilio.com": phones.handle });
  const { api: _, ...sms } = phones.settings();
  await expectOkJson(
    await home.owner.postBlocks(
      { config: { dispatch: { sms } } },
      { config: { executor: { id: "ann", capabilities: ["look"], notify: { sms: ANN } } } },
      { config: { executor: { id: "ben", capabilities: ["carry"], notify: { sms: BEN } } } },
    ),
  );
  const createThread = async (intent: string): Promise<string> => {
    const before = phones.messages.length;
    const ref = await home.agent.createThread(intent, { requires: ["look"] });
    await waitUntil(async () => expect(phones.messages.length).toBeGreaterThan(before));
    return ref;
  };
  const write = async (body: string, more: Partial<SmsIn> = {}): Promise<string | undefined> => {
    const response = await phones.act.receiveSms({ from: ANN, body, ...more });
    expect(response.status).toBe(200);
    return readTwimlMessage(await response.text());
  };
  const readStatus = async (ref: string): Promise<string> =>
    (await home.agent.read(`/mess/${ref}`)).envelope.status as string;
  return { ...home, hook, phones, askLook: createThread, write, readStatus };
}
