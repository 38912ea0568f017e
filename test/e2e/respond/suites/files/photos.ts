/** Photos that travel: the page of an upload link, and the answer of an earlier request on the page of a new one. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../../../scripts/lib/exchange/wrangler.ts";
import { t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";

const FRIDGE = join(ROOT, "scripts", "assets", "fridge.jpg");

/** Asks for an upload link, as a chat's model does. */
async function makeUploadLink(): Promise<{ url: string; uri: string }> {
  const { origin, keys } = stage.stack.ready;
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${keys.agent}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "mess_fetch", arguments: { upload: true } },
    }),
  });
  const data = (await response.text()).replace(/^[^{]*/, "");
  const { url, uri } = (
    JSON.parse(data) as { result: { structuredContent: { url: string; uri: string } } }
  ).result.structuredContent;
  return { url: url.replace(/^https?:\/\/[^/]+/, stage.origin), uri };
}

export function photos(): void {
  describe("the page of an upload link", () => {
    it("a photo from the phone reaches the next request, and the page shows its address", async () => {
      const { url, uri } = await makeUploadLink();
      const page = await stage.open(url);

      await page.locator("#file").setInputFiles(FRIDGE);
      await page.locator("#done").waitFor();

      expect(await page.locator("#address").textContent()).toBe(uri);
      expect(await page.locator("#status").textContent()).toBe(t("photo_done"));
      expect(await page.locator("#pick").isVisible()).toBe(false);
      const asked = await stage.createRequest({
        intent: "Buy one like this",
        context: [{ image: uri }],
      });
      const respond = await stage.open((await asked.createLink()).url);
      await respond.locator(".context img").waitFor();
    });

    it("a used link says so, in the language of the phone", async () => {
      const { url } = await makeUploadLink();
      const first = await stage.open(url);
      await first.locator("#file").setInputFiles(FRIDGE);
      await first.locator("#done").waitFor();
      const second = await stage.open(url, { locale: "de-DE" });

      await second.locator("#file").setInputFiles(FRIDGE);

      await second.getByText(t("photo_used", {}, "de")).waitFor();
      expect(await second.locator("h1").textContent()).toBe(t("photo_title", {}, "de"));
    });
  });

  describe("the answer of an earlier request", () => {
    it("the page shows it with its photo, in place of the ref", async () => {
      const first = await stage.createRequest({ id: "fridge", intent: "What is in the fridge?" });
      const content = ["two eggs", { image: await readDataUri() }];
      await first.appendAsRobot({ response: { content } });
      const asked = await stage.createRequest({
        intent: "Buy what is missing",
        context: [{ ref: "fridge" }],
      });

      const page = await stage.open((await asked.createLink()).url);

      const card = page.locator(".earlier");
      await card.locator("img").waitFor();
      expect(await card.textContent()).toContain("What is in the fridge?");
      expect(await card.textContent()).toContain("two eggs");
    });
  });
}

const readDataUri = async (): Promise<string> =>
  `data:image/jpeg;base64,${(await readFile(FRIDGE)).toString("base64")}`;
