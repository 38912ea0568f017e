/** Groups of agents in the inbox: an owner reads along and writes to all agents. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createAgentGroup } from "../../../../support/agent-group.ts";
import { agentGroupText as text, t } from "../../../../support/page-texts.ts";
import { findViolations } from "../../accessibility.ts";
import { stage } from "../../shared-stage.ts";
import { buildName, open } from "./inbox-page.ts";

const OWNER = { actor: "mum", role: "owner" } as const;

/** Opens the group from the inbox, as a person does. */
async function openGroup(page: Page, topic: string): Promise<void> {
  await page.getByRole("link", { name: text("title") }).click();
  await page.getByRole("link", { name: topic }).click();
  await page.getByRole("heading", { name: topic }).waitFor();
}

const findMessage = (page: Page, content: string) => page.locator(".ag-item", { hasText: content });

export function agentGroups(): void {
  describe("the agent groups in the inbox", () => {
    it("an owner follows a group on the phone and writes to all agents, who read it first", async () => {
      const topic = buildName("Move the shelf");
      const { boss, indy, send, readUnread } = await createAgentGroup(stage, topic);
      await send(boss, indy, "measure <b>the wall</b>", { message_type: "task" });
      const page = await open(await stage.signIn({}, OWNER));

      await openGroup(page, topic);
      const task = findMessage(page, "measure <b>the wall</b>");
      await task.getByText(text("type_task"), { exact: true }).waitFor();
      expect(await task.locator("b").count()).toBe(0);
      await page.getByText(text("tasks", { n: 1 })).waitFor();
      await page.getByText(text("online_count", { n: 2, all: 2 })).waitFor();

      await page.locator('[data-part="members"] summary').focus();
      await send(indy, boss, "the wall is 3 m long", { message_type: "report" });
      await findMessage(page, "the wall is 3 m long").waitFor();
      // The report completes the task.
      await page.getByText(text("tasks", { n: 1 })).waitFor({ state: "hidden" });
      await task.getByText(text("task_done"), { exact: true }).waitFor();
      expect(await page.locator('[data-part="members"] summary:focus').count()).toBe(1);
      expect(await findViolations(page)).toEqual([]);

      await page.getByLabel(text("all_label")).fill("Stop for today");
      await page.getByRole("button", { name: text("send") }).click();
      const sent = findMessage(page, "Stop for today");
      await sent.getByText(text("by_person")).waitFor();
      expect(await sent.count()).toBe(1);
      expect(await page.getByLabel(text("all_label")).inputValue()).toBe("");
      expect(await readUnread(indy)).toMatchObject([
        { content: "Stop for today", person: true, importance: "urgent" },
        { content: "measure <b>the wall</b>" },
      ]);

      await page.goBack();
      await page.getByRole("link", { name: topic }).waitFor();
      await page.goBack();
      await page.getByRole("link", { name: text("title") }).waitFor();
    });

    it("a message that cannot be sent stays in its field and is sent once by the next attempt", async () => {
      const topic = buildName("Paint the fence");
      const { indy, readUnread } = await createAgentGroup(stage, topic);
      const context = await stage.signIn({}, OWNER);
      const page = await open(context);
      await openGroup(page, topic);
      await page.getByText(text("empty")).waitFor();
      // The first attempt arrives, but its response is lost.
      await context.route("**/announcements*", async (route) => {
        await route.fetch();
        await route.abort();
      });
      await page.getByLabel(text("all_label")).fill("Not the left side");

      await page.getByRole("button", { name: text("send") }).click();
      await page.getByRole("alert").getByText(text("send_offline")).waitFor();
      await context.unroute("**/announcements*");
      await page.getByRole("button", { name: text("send") }).click();

      await expect.poll(() => page.getByLabel(text("all_label")).inputValue()).toBe("");
      expect(await readUnread(indy)).toMatchObject([{ content: "Not the left side" }]);
    });

    it("earlier messages are loaded page by page, and a closed group can only be read", async () => {
      const topic = buildName("Sort the cellar");
      const { id, boss, indy, send } = await createAgentGroup(stage, topic);
      for (let number = 1; number <= 55; number++) await send(boss, indy, `box ${number}.`);
      await boss.client.post(`/groups/${id}/close`, {});
      const page = await open(await stage.signIn({}, OWNER));
      await openGroup(page, topic);

      await findMessage(page, "box 55.").waitFor();
      await page.getByText(text("closed_note")).waitFor();
      expect(await page.getByLabel(text("all_label")).isVisible()).toBe(false);
      expect(await findMessage(page, "box 5.").count()).toBe(0);
      await page.getByRole("button", { name: text("older") }).click();

      await findMessage(page, "box 1.").waitFor();
      expect(await page.locator(".ag-item").count()).toBe(55);
    });

    it("a member without groups sees none, and nobody sees them after a sign-out", async () => {
      const topic = buildName("Feed the fish");
      const { id } = await createAgentGroup(stage, topic);
      const page = await open(await stage.openSignedInContext());
      await page.goto(`${stage.origin}/inbox#agents`);
      await page.reload();
      await page.getByText(text("none")).waitFor();
      const [session] = await page.evaluate(async () => {
        const { households } = (await (await fetch("/inbox/threads")).json()) as {
          households: { session: string }[];
        };
        return households.map((household) => household.session);
      });
      await page.goto(`${stage.origin}/inbox#agents/${session}/${id}`);
      await page.getByText(text("gone")).waitFor();

      const context = await stage.signIn({}, OWNER);
      const owned = await open(context);
      await openGroup(owned, topic);
      await context.clearCookies();
      await owned.getByRole("link", { name: text("back") }).waitFor();
      await owned.evaluate(() => document.dispatchEvent(new Event("mess-refresh")));
      await owned.getByRole("link", { name: topic }).waitFor({ state: "detached" });
      await owned.getByRole("heading", { name: topic }).waitFor({ state: "detached" });
    });

    it("the agent groups follow the language and fit a small screen", async () => {
      const topic = buildName("Water the plants");
      const { boss, indy, send } = await createAgentGroup(stage, topic);
      await send(boss, indy, "x".repeat(900), { message_type: "question" });
      const context = await stage.signIn(
        { locale: "ar", viewport: { width: 320, height: 640 } },
        OWNER,
      );
      const page = await open(context);

      await page.getByRole("link", { name: text("title", {}, "ar") }).click();
      await page.getByRole("link", { name: topic }).click();
      await page.getByRole("button", { name: text("show_all", {}, "ar") }).click();

      await findMessage(page, "x".repeat(900)).waitFor();
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBe(0);
      expect(await findViolations(page)).toEqual([]);
      expect(await page.getByRole("button", { name: t("settings", {}, "ar") }).isVisible()).toBe(
        true,
      );
    });
  });
}
