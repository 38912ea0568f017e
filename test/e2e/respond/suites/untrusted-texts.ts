/** Malicious texts and files of others on the page. */
import { describe, expect, it } from "vitest";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

/** Texts that set `globalThis.caught` if they run as a script, one for each way of injection. */
const HOSTILE_TEXTS = [
  `<script>globalThis.caught = 1</script>`,
  `<img src=x onerror="globalThis.caught=2">`,
  `"><svg onload=globalThis.caught=3>`,
  `<iframe srcdoc="<script>parent.caught=4</script>"></iframe>`,
  `[tap](javascript:globalThis.caught=5) <javascript:globalThis.caught=5>`,
  `![x](x" onerror="globalThis.caught=6)`,
  `<a href="data:text/html,<script>opener.caught=7</script>" autofocus onfocus=globalThis.caught=7>tap</a>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=globalThis.caught=8&gt;">`,
  "{{constructor.constructor('globalThis.caught=9')()}} ${globalThis.caught=9}",
  `<form action=javascript:globalThis.caught=10><button autofocus>tap</button></form><style>*{display:none}</style>`,
];
const hostileText = HOSTILE_TEXTS.join("\n");

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.caught=11"><script>globalThis.caught=11</script></svg>`;

export function untrustedTexts(): void {
  describe("text of others runs no script", () => {
    it("text of others runs no script in any field of a request, a reply or a message", async () => {
      const asked = await stage.createRequest({
        intent: hostileText,
        context: [
          hostileText,
          { text: hostileText },
          { image: { uri: `javascript:globalThis.caught=12`, name: hostileText.slice(0, 200) } },
          { image: `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}` },
          {
            file: {
              uri: `data:text/html;base64,${Buffer.from(hostileText).toString("base64")}`,
              name: `${HOSTILE_TEXTS[1]}.html`,
            },
          },
          { file: { uri: "https://example.com/x", name: HOSTILE_TEXTS[2] } },
          { url: "javascript:globalThis.caught=13" },
          {
            url: {
              url: "data:text/html,<script>globalThis.caught=13</script>",
              title: HOSTILE_TEXTS[1],
            },
          },
          {
            json: {
              [HOSTILE_TEXTS[1] ?? ""]: hostileText,
              list: [{ [HOSTILE_TEXTS[2] ?? ""]: hostileText }, { b: hostileText }],
            },
          },
          { location: { name: hostileText, address: hostileText, lat: 1, lng: 2 } },
          { confirmation: { confirmed: true, details: hostileText } },
          { error: { message: hostileText, code: hostileText } },
          { invented: { anything: hostileText } },
        ],
        constraints: { location: hostileText, environment: [HOSTILE_TEXTS[1]] },
        compensation: { note: hostileText },
        response_hint: [
          { text: hostileText },
          {
            choice: {
              field: "x",
              question: hostileText,
              options: [HOSTILE_TEXTS[1], HOSTILE_TEXTS[2]],
            },
          },
          { structured: { [HOSTILE_TEXTS[3] ?? ""]: "number" } },
        ],
      });
      await asked.appendAsRobot({
        status: {
          code: "needs_input",
          message: hostileText,
          questions: [{ id: "q", question: hostileText, options: [hostileText] }],
        },
      });
      await asked.say({
        reply: {
          answers: { q: hostileText },
          reason: hostileText,
          context: [hostileText, { json: { a: hostileText } }],
        },
      });
      await asked.appendAsRobot({
        suggestion: { type: "alternative", proposed: { intent: hostileText }, reason: hostileText },
      });
      await asked.appendAsRobot({
        followup: {
          message: hostileText,
          context: [{ file: { uri: "https://x.example", name: hostileText.slice(0, 99) } }],
        },
      });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      const requests: string[] = [];
      context.on("request", (request) => requests.push(request.url()));

      const page = await stage.open(url, context);
      await page.getByText(t("details")).click();
      await page.locator(".rich").first().waitFor();
      // Everything that can be tapped without leaving the page.
      for (const button of await page.locator("main button.photo, main summary").all()) {
        await button.click();
        await page.keyboard.press("Escape");
      }
      await page.locator("#more").click();
      await page.keyboard.press("Escape");

      expect(await page.evaluate(() => (globalThis as { caught?: number }).caught)).toBeUndefined();
      expect(
        requests.filter(
          (one) =>
            new URL(one).origin !== stage.origin &&
            !one.startsWith("blob:") &&
            !one.startsWith("data:"),
        ),
      ).toEqual([]);
      const addresses = await page
        .locator("main a")
        .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).protocol));
      expect(
        [...new Set(addresses)].filter((protocol) => !["http:", "https:"].includes(protocol)),
      ).toEqual([]);
      expect(
        await page
          .locator("main :is(script, iframe, form:not(.plain-form), style, object, embed, math)")
          .count(),
      ).toBe(0);
      // The intent is shown exactly as written.
      expect(await page.locator("#intent").textContent()).toContain(HOSTILE_TEXTS[0]);
    });

    it("a stored file of others runs no script when it is opened directly", async () => {
      const asked = await stage.createRequest({
        intent: "Read this",
        context: [
          {
            file: {
              uri: `data:text/html;base64,${Buffer.from(`${hostileText}${"x".repeat(5_000)}`).toString("base64")}`,
              name: "page.html",
            },
          },
          {
            image: {
              uri: `data:image/svg+xml;base64,${Buffer.from(`${SVG}${" ".repeat(5_000)}`).toString("base64")}`,
              name: "a.svg",
            },
          },
        ],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      const links = await page
        .locator("a.filelink")
        .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));

      expect(links).toHaveLength(2);
      for (const link of links) {
        const answered = await page.evaluate(async (address) => {
          const { headers } = await fetch(address);
          return ["content-disposition", "content-security-policy", "x-content-type-options"].map(
            (name) => headers.get(name),
          );
        }, link);
        expect(answered).toEqual([
          expect.stringMatching(/^attachment/),
          "sandbox; default-src 'none'",
          "nosniff",
        ]);
      }
    });
  });
}
