/** Forms from JSON Schemas and hints: what is required, what is wrong, and what arrives. */
import { describe, expect, it } from "vitest";
import { sendNow } from "../../../support/respond-setup.ts";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";
import { answerField, choose } from "../page-controls.ts";

const SCHEMA = {
  type: "object",
  required: ["count", "mail"],
  properties: {
    count: { type: "integer", minimum: 1, title: "How many?" },
    mail: { type: "string", format: "email", title: "Whom to write?" },
    size: { enum: [10, 20], default: 20, title: "Size" },
    colors: { type: "array", items: { enum: ["red", "blue"] }, title: "Colors" },
    names: { type: "array", items: { type: "string" }, title: "Names" },
    address: { type: "object", title: "Address", properties: { street: { type: "string" } } },
  },
};

export function forms(): void {
  describe("a form", () => {
    it("a form from a JSON Schema shows each error beside its field, and sends typed values", async () => {
      const asked = await stage.createRequest({
        intent: "Order",
        response_hint: [{ json: SCHEMA }],
      });
      const page = await stage.open((await asked.createLink()).url);
      const count = page.locator(".field", { has: page.getByLabel(/^How many/) }).last();
      const mail = page.locator(".field", { has: page.getByLabel(/^Whom to write/) }).last();
      const sendAnswer = () => page.locator('#bar .primary[data-action="completed"]').click();

      expect(await count.locator("label").textContent()).toContain(t("required"));
      expect(await answerField(page).getAttribute("placeholder")).toBe(t("more_placeholder"));
      await page.getByLabel(/^How many/).fill("1.5");
      await sendAnswer();
      await count.getByText(t("value_integer")).waitFor();
      await mail.getByText(t("value_required")).waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe(
        "number",
      );
      await page.getByLabel(/^How many/).fill("3");
      await page.getByLabel(/^Whom to write/).fill("ann");
      await sendAnswer();
      await mail.getByText(t("value_email")).waitFor();
      expect(await count.locator(".field-error").isVisible()).toBe(false);

      await page.getByLabel(/^Whom to write/).fill("ann@example.org");
      await page.getByRole("checkbox", { name: "red" }).check();
      await page.getByLabel(/^Names/).fill("Ann\nBen");
      await page.getByLabel(/^Street/).fill("Mill Lane 3");
      await sendAnswer();
      await sendNow(page);
      await asked.until(({ envelope }) => envelope.status === "completed");
      expect((await asked.listExecutorBlocks())[0]).toMatchObject({
        response: {
          content: [
            {
              structured: {
                count: 3,
                mail: "ann@example.org",
                size: 20,
                colors: ["red"],
                names: ["Ann", "Ben"],
                address: { street: "Mill Lane 3" },
              },
            },
          ],
        },
      });
    });

    it("a form takes another option, a rating, a date with time and a photo for its field, and a choice can be cleared", async () => {
      const asked = await stage.createRequest({
        intent: "Look at the shed",
        response_hint: [
          {
            choice: {
              field: "roof",
              question: "The roof?",
              options: ["Fine", "Leaks"],
              other: true,
            },
          },
          { choice: { field: "door", question: "The door?", options: ["Open", "Shut"] } },
          {
            structured: {
              stars: { type: "rating", label: "How good?" },
              seen: { type: "datetime", label: "When?" },
              lock: { type: "photo", label: "The lock" },
            },
          },
        ],
      });
      const page = await stage.open((await asked.createLink()).url, { timezoneId: "UTC" });
      await choose(page, t("other"), "The roof?");
      await page.getByLabel(t("other_what")).fill("No roof");
      await choose(page, "Open", "The door?");
      const door = page.getByRole("group", { name: "The door?" });
      await door.getByRole("button", { name: t("clear_choice") }).click();
      expect(await door.getByRole("radio", { checked: true }).count()).toBe(0);
      await choose(page, "4", "How good?");
      await page.getByLabel("When?").fill("2031-05-06T09:30");
      const lock = page.getByRole("group", { name: "The lock" });
      await lock.locator("input[type=file]").setInputFiles("scripts/assets/fridge.jpg");
      await page.locator(".tile.image").waitFor();
      await page.locator('#bar .primary[data-action="completed"]').click();
      await sendNow(page);

      const thread = await asked.until(({ envelope }) => envelope.status === "completed");
      const photo = expect.stringMatching(/^The lock – fridge/) as string;
      expect((await asked.listExecutorBlocks())[0]?.["response"]?.["content"]).toMatchObject([
        {
          structured: { roof: "No roof", stars: 4, seen: "2031-05-06T09:30:00.000Z", lock: photo },
        },
        { image: { name: photo } },
      ]);
      expect(thread.attachments).toHaveLength(1);
    });

    it("a request whose form cannot be filled in is still answered in words", async () => {
      const asked = await stage.createRequest({
        intent: "Count",
        response_hint: [{ json: { ...SCHEMA, properties: { count: SCHEMA.properties.count } } }],
      });
      const page = await stage.open((await asked.createLink()).url);
      await answerField(page).fill("There is nothing to count");
      await page.locator('#bar .primary[data-action="completed"]').click();
      await sendNow(page);

      await asked.until(({ envelope }) => envelope.status === "completed");
    });
  });
}
