/** Every action of the page with its form, and the message that the agent then reads. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openActionForm, sendNow } from "../../../support/respond-setup.ts";
import { choose } from "../page-controls.ts";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

interface Case {
  act: string;
  fill: (page: Page) => Promise<void>;
  says: object;
  becomes: string;
}

const fillReason = (page: Page) => page.getByLabel(t("reason")).fill("The shop is shut");

const ACTS: Case[] = [
  {
    act: "claim",
    fill: (page) => choose(page, t("minutes", { n: 30 })),
    says: { status: { code: "claimed", estimate: "PT30M" } },
    becomes: "claimed",
  },
  {
    act: "in_progress",
    fill: async (page) => {
      await page.getByLabel(t("progress")).fill("35");
      await page.getByLabel(t("message_optional")).fill("On the ladder");
    },
    says: { status: { code: "in_progress", progress_pct: 35, message: "On the ladder" } },
    becomes: "in_progress",
  },
  {
    act: "needs_input",
    fill: async (page) => {
      await page.getByLabel(t("question_n", { n: 1 })).fill("Which shop?");
      await page.getByLabel(t("question_options")).fill("The near one\nThe cheap one");
      await page.getByRole("button", { name: t("question_more") }).click();
      await page.getByLabel(t("question_n", { n: 2 })).fill("How many?");
    },
    says: {
      status: {
        code: "needs_input",
        questions: [
          {
            id: "q1",
            field: "q1",
            question: "Which shop?",
            options: ["The near one", "The cheap one"],
          },
          { id: "q2", field: "q2", question: "How many?" },
        ],
      },
    },
    becomes: "needs_input",
  },
  {
    act: "needs_confirmation",
    fill: async (page) => {
      await page.getByLabel(t("confirm_action")).fill("Throw away the old paint");
      await page.getByLabel(t("confirm_consequences")).fill("It is gone");
      await choose(page, t("no"), t("confirm_reversible"));
    },
    says: {
      status: {
        code: "needs_confirmation",
        action: "Throw away the old paint",
        consequences: "It is gone",
        reversible: false,
      },
    },
    becomes: "needs_confirmation",
  },
  {
    act: "waiting",
    fill: async (page) => {
      await choose(page, t("waiting_access"));
      await page.getByLabel(t("waiting_what")).fill("Cellar key");
    },
    says: { status: { code: "waiting", waiting_for: { type: "access", location: "Cellar key" } } },
    becomes: "waiting",
  },
  {
    act: "held",
    fill: fillReason,
    says: { status: { code: "held", reason: "The shop is shut" } },
    becomes: "held",
  },
  {
    act: "partial",
    fill: async (page) => {
      await page.getByRole("textbox", { name: t("part_done") }).fill("- hall\n- stairs");
      await page.getByLabel(t("part_left")).fill("attic");
    },
    says: { status: { code: "partial", completed: ["hall", "stairs"], remaining: ["attic"] } },
    becomes: "partial",
  },
  {
    act: "delegate",
    fill: async (page) => {
      await choose(page, "Roomba");
      await fillReason(page);
    },
    says: { status: { code: "delegated", delegated_to: "roomba", reason: "The shop is shut" } },
    becomes: "pending",
  },
  {
    act: "suggest",
    fill: async (page) => {
      await choose(page, t("suggest_defer"));
      await page.getByLabel(t("waiting_when")).fill("2031-05-01T09:00");
    },
    says: {
      suggestion: {
        type: "defer",
        proposed: { until: expect.stringMatching(/^2031-0(4-30|5-01)T.*Z$/) as string },
      },
    },
    becomes: "pending",
  },
  {
    act: "followup",
    fill: (page) => page.getByLabel(t("note"), { exact: true }).fill("The bell is broken"),
    says: { followup: { message: "The bell is broken" } },
    becomes: "pending",
  },
  {
    act: "decline",
    fill: fillReason,
    says: { status: { code: "declined", reason: "The shop is shut" } },
    becomes: "pending",
  },
  {
    act: "failed",
    fill: async (page) => {
      await fillReason(page);
      await choose(page, t("no"), t("recoverable"));
    },
    says: { status: { code: "failed", reason: "The shop is shut", recoverable: false } },
    becomes: "failed",
  },
];

export function acts(): void {
  describe("an act", () => {
    it.each(ACTS)(
      "the action $act is sent with its form, and the agent reads it",
      async ({ act, fill, says, becomes }) => {
        const asked = await stage.createRequest({ intent: `Try ${act}` });
        const { url } = await asked.createLink();
        const page = await stage.open(url);

        await openActionForm(page, act);
        await fill(page);
        await page.locator(".sheet button[type=submit]").click();
        const now = page.locator('[data-action="now"]');
        const row = page.locator(".send");
        await row.first().waitFor();
        if (await now.isVisible()) await now.click();
        await page.locator('.send[data-state="sent"]').waitFor();

        expect(await asked.listExecutorBlocks()).toMatchObject([says]);
        expect((await asked.read()).envelope.status).toBe(becomes);
      },
    );

    it("a progress that the person did not move is not sent", async () => {
      const asked = await stage.createRequest({ intent: "Sort the screws" });
      const page = await stage.open((await asked.createLink()).url);

      await openActionForm(page, "in_progress");
      await page.getByLabel(t("message_optional")).fill("Still looking");
      await page.locator(".sheet button[type=submit]").click();
      await page.locator("#thread").getByText("Still looking").waitFor();

      const [block] = await asked.listExecutorBlocks();
      expect(block).toMatchObject({ status: { code: "in_progress" } });
      expect(block?.["status"]).not.toHaveProperty("progress_pct");
    });

    it("an action of one tap can be undone for five seconds, and is not sent then", async () => {
      const asked = await stage.createRequest({ intent: "Lock the door" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);

      await page.locator('#bar [data-action="completed"]').click();
      await page.locator('[data-action="undo"]').click();
      await page.locator(".send").waitFor({ state: "detached" });
      expect(await asked.listExecutorBlocks()).toEqual([]);

      await page.locator('#bar [data-action="completed"]').click();
      await sendNow(page);
      await asked.until(({ envelope }) => envelope.status === "completed");
      expect(await asked.listExecutorBlocks()).toMatchObject([{ status: { code: "completed" } }]);
    });

    it("a request on hold is resumed, and an action that is not possible says why", async () => {
      const asked = await stage.createRequest({ intent: "Paint the fence" });
      const { url } = await asked.createLink(["respond", "claim"]);
      const page = await stage.open(url);

      await openActionForm(page, "held");
      await page.locator(".sheet button[type=submit]").click();
      await page.locator('#bar [data-action="resume"]').click();
      await asked.until(({ envelope }) => envelope.status === "in_progress");

      await page.locator("#more").click();
      expect(await page.locator('.sheet [data-action="decline"]').count()).toBe(0);
      await page.getByText(t("not_now")).click();
      const refused = page.getByRole("listitem").filter({ hasText: t("why_wrong_role") });
      await refused.filter({ hasText: t("act_decline") }).waitFor();
    });
  });
}
