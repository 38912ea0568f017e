/** Tests the webhook of a Telegram bot and its registration. */
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../../support.ts";
import { REGISTER, createTelegramHousehold } from "./telegram-household.ts";

afterEach(() => vi.unstubAllGlobals());

describe("Telegram's webhook", () => {
  it("registering the Telegram webhook sets a generated secret and only the used update types", async () => {
    const { id, server, owner, agent } = await createTelegramHousehold();

    expect(server.webhook.url).toBe(`${ORIGIN}/hooks/telegram/${id}`);
    expect(server.webhook.secret).toMatch(/^[\w-]{32,256}$/);
    expect(server.webhook.updates).toEqual(["message", "callback_query"]);
    const before = server.webhook.secret;
    const again = await expectOkJson(await owner.post(REGISTER, {}));
    expect(again).toEqual({ webhook: `${ORIGIN}/hooks/telegram/${id}`, bot: "household_bot" });
    expect(server.webhook.secret).toBe(before);
    expect(await readRefusal(await agent.post(REGISTER, {}))).toBe("403 wrong_role");
  });

  it("setting a Telegram token warns that the webhook must be registered; setting a reference to a secret does not", async () => {
    const { owner } = await createFreshHousehold();
    const listWarnings = async (telegram: object): Promise<string[]> =>
      (await expectOkJson(await owner.postBlocks({ config: { dispatch: { telegram } } }))).MESS[0]
        .ack.warnings;

    expect(await listWarnings({ bot_token: "700001:one" })).toEqual([
      expect.stringContaining("POST /api/v1/channels/telegram/register"),
    ]);
    expect(await listWarnings({ bot_token: "${TELEGRAM_BOT_TOKEN}" })).toEqual([]);
    expect(await listWarnings({ bot_token: "700001:two" })).toHaveLength(1);
  });

  it("registering the Telegram webhook is refused without a bot and with a revoked token, which the error does not show", async () => {
    const { owner } = await createFreshHousehold();
    expect(await readRefusal(await owner.post(REGISTER, {}))).toBe("400 missing_field");

    const home = await createTelegramHousehold();
    home.server.act.revoke();
    const refused = await home.owner.post(REGISTER, {});
    const text = await refused.clone().text();

    expect(await readRefusal(refused)).toBe("400 bad_field");
    expect(text).toContain("Unauthorized");
    expect(text).not.toContain(home.server.token);
  });

  it("updates for another household and for an unknown household get the same refusal", async () => {
    const one = await createTelegramHousehold();
    const { ref } = await one.askLook("look for the keys");
    const other = await createTelegramHousehold();

    const elsewhere = await other.write({ text: "1", hook: one.server.webhook.url });
    const nobody = await one.write({ text: "1", hook: `${ORIGIN}/hooks/telegram/nobody` });

    expect([elsewhere.status, nobody.status]).toEqual([401, 401]);
    expect(await nobody.text()).toBe(await elsewhere.text());
    expect(await one.listMessagesIn(ref)).toEqual([]);
  });

  it("a Telegram update with the right secret and a malformed body is answered and changes nothing", async () => {
    const { server, askLook, listMessagesIn } = await createTelegramHousehold();
    const { ref, message } = await askLook("look for the keys");
    const path = new URL(server.webhook.url).pathname;
    const headers = { "X-Telegram-Bot-Api-Secret-Token": server.webhook.secret };

    for (const body of [
      "",
      "[]",
      "{",
      "null",
      '{"update_id":"x"}',
      '{"update_id":1,"message":7}',
    ]) {
      const response = await sendRequest(path, { method: "POST", body, headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({});
    }
    await server.act.update({ edited_message: { text: "done" } });
    await server.act.tap(message, "claimed", { data: "x:other" });
    await server.act.tap(message, "claimed", { data: "c:2020-01-01-001" });

    expect(server.answers.map(({ alert }) => alert)).toEqual([true, true]);
    expect(await listMessagesIn(ref)).toEqual([]);
  });
});
