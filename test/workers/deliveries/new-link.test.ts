/** A member whose link expired gets a new one through its channel; in place of a revoked link nothing is sent. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { buildJsonInit, createLink } from "../respond/support.ts";
import { expectOkJson, readRefusal, sendRequest } from "../support.ts";
import {
  createDeliveryHousehold,
  type DeliveryHousehold,
  HOUR_MS,
  NoticeRecorder,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.useRealTimers();
});

const DAYS_MS = 24 * HOUR_MS;
/** No deadline keeps the link alive, and no one claims the thread. */
const LONG_REQUEST = { requires: ["look"] };

/** A thread that was offered to Ann, and the link in her notice. */
async function createNotified(ann: object = NOTIFY_CHANNELS.chat) {
  const home: DeliveryHousehold = await createDeliveryHousehold({ ann });
  const ref = await home.agent.createThread("is the door locked", LONG_REQUEST);
  await recorder.until(1);
  const { url } = recorder.notices[0]!.notice.link!;
  return { ...home, ref, token: new URL(url).searchParams.get("token")! };
}

const renew = (token: string) => sendRequest("/respond/renew", buildJsonInit({ token }));
const listNewLinks = () =>
  recorder.notices.filter(
    ({ notice: { kind, executor } }) => kind === "news" && executor === "ann",
  );

it("a member whose link expired gets a new link through its channel, and the response says so", async () => {
  const { token } = await createNotified();
  vi.setSystemTime(Date.now() + 2 * DAYS_MS);

  const asked = await expectOkJson(await renew(token));

  expect(asked).toEqual({ asked: true, sent: true });
  await vi.waitFor(() => expect(listNewLinks()).toHaveLength(1));
  const fresh = new URL(listNewLinks()[0]!.notice.link!.url).searchParams.get("token")!;
  expect(fresh).not.toBe(token);
  const opened = await sendRequest("/respond/session", buildJsonInit({ token: fresh }));
  expect(opened.status).toBe(204);
  expect(JSON.stringify(asked)).not.toContain(fresh);
});

it("a new link does not wait for the end of quiet hours, since its member is awake", async () => {
  const { token, owner } = await createNotified();
  await expectOkJson(
    await owner.postBlocks({
      config: {
        executor: {
          id: "ann",
          quiet_hours: "00:00-23:59",
          notify: NOTIFY_CHANNELS.chat,
          capabilities: ["look"],
        },
      },
    }),
  );
  vi.setSystemTime(Date.now() + 2 * DAYS_MS);

  await renew(token);

  await vi.waitFor(() => expect(listNewLinks()).toHaveLength(1));
});

it("a revoked link is not replaced, and the response does not say that one was sent", async () => {
  const { token, agent, ref } = await createNotified();
  await expectOkJson(await agent.fetch(`/mess/${ref}/links?executor=ann`, { method: "DELETE" }));
  vi.setSystemTime(Date.now() + 2 * DAYS_MS);

  expect(await expectOkJson(await renew(token))).toEqual({ asked: true, sent: false });
  expect(listNewLinks()).toEqual([]);
});

it("a member without a channel gets no link, and the response does not say that one was sent", async () => {
  const home = await createDeliveryHousehold({ ann: {} });
  const ref = await home.agent.createThread("is the door locked", LONG_REQUEST);
  const { token } = await createLink(home.agent, ref, "ann", { expires: "1h" });
  vi.setSystemTime(Date.now() + 2 * DAYS_MS);

  expect(await expectOkJson(await renew(token))).toEqual({ asked: true, sent: false });
});

it("a member that declined gets no new link", async () => {
  const { token, ann, ref } = await createNotified();
  await ann.appendBlocks(ref, { status: { code: "declined" } });
  vi.setSystemTime(Date.now() + 2 * DAYS_MS);

  const response = await renew(token);

  expect(response.ok ? await response.json() : await readRefusal(response)).not.toEqual({
    asked: true,
    sent: true,
  });
  expect(listNewLinks()).toEqual([]);
});
