/** The page with inactive, wrong and cancelled links. */
import { DEMO_PHONE_ID } from "../../../../scripts/lib/demo/demo-household.ts";
import { describe, expect, it } from "vitest";
import { answerField } from "../page-controls.ts";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

async function revoke(ref: string, jti: string): Promise<void> {
  const response = await fetch(`${stage.stack.ready.origin}/mess/${ref}/links/${jti}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${stage.stack.ready.keys.agent}` },
  });
  expect(response.status).toBe(200);
}

export function links(): void {
  describe("a link", () => {
    it("a link's token is removed from the address and the page, and no other hosts are contacted", async () => {
      const asked = await stage.createRequest({ intent: "Close the window" });
      const { url } = await asked.createLink();
      const link = new URL(url);
      const old = new URL("/respond", url);
      const token = link.searchParams.get("token") ?? "";
      old.search = new URLSearchParams({
        token,
        request: asked.ref,
        exchange: "https://elsewhere.example",
      }).toString();
      const context = await stage.openContext();
      const requests: string[] = [];
      context.on("request", (request) => requests.push(request.url()));

      const page = await stage.open(old.href, context);

      expect(page.url()).toContain(`ref=${asked.ref}`);
      expect(page.url()).not.toContain("token");
      expect(await page.content()).not.toContain(token);
      expect(requests.filter((one) => new URL(one).origin !== stage.origin)).toEqual([]);
      expect(requests.filter((one) => one.includes(token))).toEqual([old.href]);
      const cookies = await context.cookies();
      expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: "Strict" }]);
      // Opening the link has not changed the thread.
      expect((await asked.read()).envelope.history.map(({ action }) => action)).toEqual([
        "created",
        "dispatched",
      ]);
    });

    it("a revoked link says so, keeps typed text, and lets the person request a new one", async () => {
      const asked = await stage.createRequest({ intent: "Check the boiler" });
      const { url, jti } = await asked.createLink();
      const page = await stage.open(url);
      await answerField(page).fill("It drips");
      await expect.poll(() => page.locator("#bar .primary").textContent()).toBe(t("send_answer"));

      await revoke(asked.ref, jti);

      await page.getByRole("heading", { name: t("link_dead") }).waitFor();
      await page.getByText(t("dead_revoked")).waitFor();
      await page.getByText("It drips").waitFor();
      await page.getByRole("button", { name: t("renew") }).click();
      await page.getByText(t("renewed")).waitFor();
      expect(await page.getByText(t("renew_how")).count()).toBe(0);
      // A second request within the hour says so, and promises nothing.
      await page.reload();
      await page.getByRole("button", { name: t("renew") }).click();
      await page.getByText(t("renew_again")).waitFor();
      expect((await asked.read()).envelope.history.map(({ action }) => action)).toContain(
        "link_requested",
      );
    });

    it("the page says that a new link is on its way only if the exchange sends one", async () => {
      const asked = await stage.createRequest({ intent: "Check the fuse box" });
      const { url, jti } = await asked.createLink();
      await revoke(asked.ref, jti);
      const sends = async (sent: boolean) => {
        const context = await stage.openContext();
        await context.route("**/respond/renew", (route) =>
          route.fulfill({ json: { asked: true, sent } }),
        );
        const page = await stage.open(url, context);
        await page.getByRole("button", { name: t("renew") }).click();
        return await page.locator("#closed .banner.good").textContent();
      };

      expect(await sends(true)).toBe(t("renewed_sent"));
      expect(await sends(false)).toBe(t("renewed"));
    });

    it("an expired link, a wrong link and a missing network have different messages", async () => {
      const asked = await stage.createRequest({ intent: "Ring the bell" });
      const short = await stage.agent.post<{ url: string }>(`/mess/${asked.ref}/links`, {
        executor: DEMO_PHONE_ID,
        expires: "1s",
      });
      const expired = short.url.replace(/^http:\/\/[^/]+/, stage.origin);
      await expect
        .poll(
          async () =>
            (
              await fetch(
                `${stage.origin}/thread/${asked.ref}${new URL(expired).search.replace(/ref=[^&]*&?/, "")}`,
              )
            ).status,
          { timeout: 4_000 },
        )
        .not.toBe(200);

      const page = await stage.open(expired);
      await page.getByText(t("dead_expired")).waitFor();

      const wrong = await stage.open(`${stage.origin}/respond?ref=${asked.ref}&token=nonsense`);
      await wrong.getByText(t("link_needed"), { exact: true }).waitFor();

      const context = await stage.openContext();
      await context.route("**/respond/session", (route) => route.abort("connectionrefused"));
      const away = await stage.open((await asked.createLink()).url, context);
      await away.getByText(t("no_network"), { exact: true }).waitFor();
      await context.unrouteAll();
      await away.getByRole("button", { name: t("try_again") }).click();
      await away.getByRole("heading", { name: "Ring the bell" }).waitFor();
    });

    it("a request that is cancelled meanwhile shows that it is no longer needed", async () => {
      const asked = await stage.createRequest({ intent: "Fetch bread" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);

      await asked.say({ cancel: { reason: "We have some" } });

      await page.getByText(t("was_cancelled", { name: "claude" })).waitFor();
      await page.locator("#bar").waitFor({ state: "hidden" });
      const late = await stage.open(url);
      await late.getByText(t("ended_cancelled")).waitFor();
    });

    it("a browser without JavaScript answers with a plain form", async () => {
      const asked = await stage.createRequest({
        intent: "Is the door locked?",
        context: ["The one **to the yard**."],
        constraints: { location: "Mill Lane 3" },
      });
      const { url } = await asked.createLink();
      const context = await stage.openContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(url);

      // A link changes and shows nothing until a form is sent; then comes the request, and below it the form.
      await page.locator("form.plain-form").getByRole("button").click();
      for (const words of ["Is the door locked?", "The one to the yard.", "Mill Lane 3"])
        await page.getByText(words).waitFor();
      const form = page.locator("form.plain-form");
      await form.getByRole("textbox").fill("Yes, twice");
      await form.getByRole("button").first().click();

      await page.getByRole("status").waitFor();
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { response: { content: [{ text: "Yes, twice" }] } },
      ]);
    });
  });
}
