/** Messages of sources in the inbox: an owner reads, edits and approves on the phone what the household sends. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createMessageSource, type TestMessageSource } from "../../../../support/message-source.ts";
import { messageText as text } from "../../../../support/page-texts.ts";
import { findViolations } from "../../accessibility.ts";
import { choose } from "../../page-controls.ts";
import { stage } from "../../shared-stage.ts";
import { open } from "./inbox-page.ts";

const OWNER = { actor: "mum", role: "owner" } as const;
const QUESTION = {
  from: "ann@elsewhere.test",
  subject: "Can you come on Thursday?",
  text: "At nine? We <b>need</b> to know.\n\nSee https://example.com/meeting?id=12.",
};

const act = (page: Page, name: string) => page.locator(`[data-act="${name}"]`);
const getOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function withSource(
  name: string,
  work: (source: TestMessageSource) => Promise<void>,
): Promise<void> {
  const source = await createMessageSource(stage, name);
  try {
    await work(source);
  } finally {
    await source.stop();
  }
}

export function messages(): void {
  describe("the messages in the inbox", () => {
    it("an owner reads a message on the phone, edits its draft, takes an approval back, and sends it once", async () => {
      await withSource("shop", async (source) => {
        const message = await source.receive(QUESTION);
        const draft = await source.draft(message, "Thursday is fine.");
        const page = await open(await stage.signIn({}, OWNER));

        await page.getByRole("link", { name: text("title") }).click();
        const row = page.locator(".row-card", { hasText: QUESTION.subject });
        await row.getByText(text("provisional")).waitFor();
        await row.getByText(text("has_draft")).waitFor();
        expect(await findViolations(page)).toEqual([]);
        await row.getByRole("link").click();
        await page.getByText("We <b>need</b> to know.").waitFor();
        expect(await page.locator(".ms-text a, .ms-text b").count()).toBe(0);
        await page.getByText(text("links", { n: 1 })).click();
        expect(await page.locator(".ms-links a").textContent()).toBe(
          "example.comhttps://example.com/meeting?id=12",
        );

        // Another author changes the draft after it was loaded.
        await source.revise(draft.id, "I will never come.", 1);
        await act(page, "approve").click();
        await page.getByText(text("changed")).waitFor();
        await page.locator(".ms-content", { hasText: "I will never come." }).waitFor();
        await act(page, "edit").click();
        await page.getByLabel(text("text"), { exact: true }).fill("Thursday at ten.");
        await act(page, "save").click();
        await page.locator(".ms-content", { hasText: "Thursday at ten." }).waitFor();
        await act(page, "approve").click();
        await page.locator('[data-act="undo"]:focus').waitFor();
        expect(await findViolations(page)).toEqual([]);
        await act(page, "undo").click();
        await page.locator('[data-act="approve"]:focus').waitFor();
        await act(page, "approve").dblclick();
        await act(page, "undo").waitFor();

        // The time for undoing passes meanwhile.
        await page.locator('[data-tier="IGNORE"]').click();
        await page.getByText(text("by_person")).waitFor();
        await act(page, "flag").click();
        await page.getByText(text("flagged"), { exact: true }).waitFor();

        await expect
          .poll(() => source.sent, { timeout: 15_000 })
          .toMatchObject([{ body: "Thursday at ten.", subject: `Re: ${QUESTION.subject}` }]);
        await page.locator('.ms-draft[data-state="sent"]').waitFor();
        await act(page, "remove").click();
        await act(page, "remove_yes").click();
        await page.getByText(text("empty")).waitFor();
        expect(source.sent).toHaveLength(1);
      });
    });

    it("an owner answers in Arabic on a small screen, finds messages by filters, and reads offline", async () => {
      await withSource("bell", async (source) => {
        await source.receive({ ...QUESTION, subject: "x".repeat(90) });
        await source.receive({ ...QUESTION, subject: "Second question" });
        const viewport = { width: 320, height: 640 };
        const context = await stage.signIn({ locale: "ar", viewport }, OWNER);
        const page = await open(context);
        await page.getByRole("link", { name: text("title", {}, "ar") }).click();
        const row = page.locator(".row-card", { hasText: "Second question" });
        await row.waitFor();
        expect(await getOverflow(page)).toBe(0);

        await row.getByRole("link").click();
        await act(page, "reply").click();
        await page.getByLabel(text("text", {}, "ar"), { exact: true }).fill("نعم");
        await act(page, "save").click();
        await page.locator('[data-act="approve"]:focus').waitFor();
        expect(await getOverflow(page)).toBe(0);
        expect(await findViolations(page)).toEqual([]);
        await page.goBack();
        await choose(page, text("unseen", {}, "ar"));
        await row.waitFor({ state: "detached" });
        await page.getByRole("radio", { name: text("approve_tab", {}, "ar") }).check();
        await page.locator(".row-card", { hasText: "نعم" }).waitFor();

        await context.setOffline(true);
        await page.locator(".row-card", { hasText: "نعم" }).getByRole("link").click();
        await page.getByText(text("offline_note", {}, "ar")).waitFor();
        await page.locator(".ms-content", { hasText: "نعم" }).waitFor();
        await act(page, "discard").click();
        await page.getByText(text("action_offline", {}, "ar")).waitFor();
      });
    });

    it("a member who is no owner sees no messages, and nobody does after a sign-out", async () => {
      await withSource("gate", async (source) => {
        const subject = "Who has the key?";
        const message = await source.receive({ ...QUESTION, subject });
        const member = await open(await stage.openSignedInContext());
        const session = await member.evaluate(async () => {
          const response = await fetch("/inbox/threads");
          const { households } = (await response.json()) as { households: { session: string }[] };
          return households[0]!.session;
        });
        await member.goto(`${stage.origin}/inbox#messages/${session}/gate/${message}`);
        await member.reload();
        await member.getByText(text("failed")).waitFor();
        expect(await member.getByText(subject).count()).toBe(0);

        const context = await stage.signIn({}, OWNER);
        const page = await open(context);
        await page.getByRole("link", { name: text("title") }).click();
        const row = page.locator(".row-card", { hasText: subject });
        await row.waitFor();
        await context.clearCookies();
        await page.evaluate(() => document.dispatchEvent(new Event("mess-refresh")));
        await row.waitFor({ state: "detached" });
      });
    });
  });
}
