import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { receiveEvent } from "../../../../src/ingress/webhooks/receive-chat-event.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { expectNaming } from "../../../support/naming.ts";
import { createFreshHousehold } from "../../support.ts";

/** An event of an unknown sender: the lengths are checked before the sender is resolved. */
const EVENT = {
  channel: "slack",
  id: "1",
  identities: ["U04EVE"],
  action: "message",
  text: "hello",
} as const;

const writeField = (field: string, text: string) =>
  field === "from" ? { identities: ["U04EVE", text] } : { [field]: text };

describe("a chat event", () => {
  it.each([
    ["text", LIMITS.freeTextChars, "too_large"],
    ["id", LIMITS.nameChars, "bad_field"],
    ["group", LIMITS.nameChars, "bad_field"],
    ["from", LIMITS.senderChars, "bad_field"],
    ["ref", LIMITS.targetChars, "bad_field"],
    ["handle", LIMITS.handleChars, "bad_field"],
  ])(
    "a chat event whose %s is longer than %i characters is refused before its files are fetched",
    async (field, maxChars, code) => {
      const { id } = await createFreshHousehold();
      const fetch = vi.fn();
      const files = [{ name: "a.png", mime: "image/png", fetch }];
      const receive = (length: number) =>
        receiveEvent(env, id, { ...EVENT, files, ...writeField(field, "x".repeat(length)) });

      expect(await receive(maxChars + 1)).toMatchObject({
        ok: false,
        error: { code, path: field, hint: expectNaming(maxChars) },
      });
      expect(await receive(maxChars)).toMatchObject({
        ok: false,
        error: { code: "unknown_executor" },
      });
      expect(fetch).not.toHaveBeenCalled();
    },
  );
});
