import { afterEach, describe, expect, it, vi } from "vitest";
import {
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../support.ts";
import { Browser, buildJsonInit, createLink, openScene } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const claim = { status: { code: "claimed" } };

describe("POST /respond/session", () => {
  it.each(["token", "code"] as const)(
    "the %s of a link is exchanged for a cookie that is valid as long as the link",
    async (by) => {
      const { agent } = await createFreshHousehold();
      const ref = await agent.createThread("look", { requires: ["look"] });
      const link = await createLink(agent, ref, "ann", { expires: "2d" });
      const browser = new Browser();

      const response = await browser.open(
        by === "token" ? { token: link.token } : { code: link.code },
      );

      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      expect(response.headers.get("X-MESS-Ref")).toBe(ref);
      const [cookie, ...others] = response.headers.getSetCookie();
      expect(others).toEqual([]);
      expect(cookie).toMatch(
        /^__Host-mess-respond-[0-9a-f]{12}-[0-9a-f]{12}=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1727\d\d|172800$/,
      );
      expect(cookie).not.toContain(link.token);
      expect((await browser.readState(ref)).me).toEqual({
        executor: "ann",
        permissions: ["respond", "claim", "decline"],
      });
    },
  );

  it("a link works on several devices, and a browser can have several threads", async () => {
    const { agent, ref, link, browser } = await openScene();
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    await browser.open({ code: (await createLink(agent, other)).code });
    const second = new Browser();
    await second.open({ token: link.token });

    expect((await browser.readState(ref)).envelope.intent).toBe("look at the basil");
    expect((await browser.readState(other)).envelope.intent).toBe("look at the mint");
    expect((await second.readState(ref)).me.executor).toBe("ann");
  });

  it("a session of a link gives no access to another thread", async () => {
    const { agent, ref, browser } = await openScene();
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    const [[name, value]] = [...browser.cookies] as [[string, string]];
    await browser.open({ code: (await createLink(agent, other)).code });
    const otherName = [...browser.cookies.keys()].find((one) => one !== name)!;
    // The right name, with the content for another thread.
    const crossed = new Browser();
    crossed.cookies.set(otherName, value);

    expect(await readRefusal(await crossed.fetch(`/respond/state?ref=${other}`))).toBe(
      "401 unauthenticated",
    );
    expect(await readRefusal(await crossed.appendBlocks(other, claim))).toBe("401 unauthenticated");
    const elsewhere = await browser.appendBlocks(ref, { status: { re: other, code: "claimed" } });
    expect(await readRefusal(elsewhere)).toBe("404 not_found");
    expect((await agent.read(`/mess/${other}`)).envelope.status).toBe("pending");
  });

  it("a browser has at most sixteen threads through links, and drops the oldest", async () => {
    const { agent, ref, browser } = await openScene();
    for (let n = 0; n < 16; n++) {
      const one = await agent.createThread(`look ${n}`, { requires: ["look"] });
      await browser.open({ code: (await createLink(agent, one)).code });
    }

    expect(browser.cookies.size).toBe(16);
    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(
      "401 unauthenticated",
    );
  });

  it("a page of another site gets no session of a link", async () => {
    const { link } = await openScene();

    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
    ]) {
      const response = await sendRequest(
        "/respond/session",
        buildJsonInit({ token: link.token }, headers),
      );
      expect(await readRefusal(response)).toBe("400 unsafe_message");
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    const own = await sendRequest(
      "/respond/session",
      buildJsonInit({ token: link.token }, { Origin: ORIGIN }),
    );
    expect(own.status).toBe(204);
  });

  it("a token that is not a link gets the same refusal for every reason", async () => {
    const { link, ref } = await openScene();
    const bodies = [
      {},
      { token: "" },
      { token: "a.b.c" },
      { code: "" },
      { code: link.code.slice(0, -1) },
      { code: `${link.code.slice(0, -1)}${link.code.endsWith("0") ? "1" : "0"}` },
      { code: link.code.replace(ref, `${ref}0`) },
      { code: link.code.replace(/_1(\w{16})$/, "_2$1") },
      { token: link.token, ref: "2020-01-01-001" },
    ];

    const answers = new Set<string>();
    for (const body of bodies) {
      const response = await sendRequest("/respond/session", buildJsonInit(body));
      answers.add(`${response.status} ${await response.text()}`);
    }

    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 .*"unauthenticated"/);
  });

  it("a browser distinguishes threads of two households with one ref, and refuses ambiguous calls", async () => {
    const [one, two] = [await openScene(), await openScene()];
    expect(two.ref).toBe(one.ref);
    const { ref, browser } = one;
    const second = await browser.open({ token: two.link.token });
    const session = second.headers.get("X-MESS-Session")!;

    const unsaid = await browser.appendBlocks(ref, claim);
    const posted = await browser.post(
      `/mess?ref=${ref}`,
      { MESS: [claim] },
      { "X-MESS-Session": session },
    );

    expect(await readRefusal(unsaid)).toBe("409 ambiguous_ref");
    expect(posted.status).toBe(200);
    expect((await one.agent.read(`/mess/${ref}`)).envelope.executor).toBeNull();
    expect((await two.agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
    expect((await browser.fetch(`/respond/state?ref=${ref}&session=${session}`)).status).toBe(200);
  });
});

describe("a session of a link", () => {
  it("a session of a link allows the same as the link, and no more", async () => {
    const { ref, browser, agent } = await openScene();

    const claimed = await browser.appendBlocks(ref, claim);
    const posted = await browser.post(`/thread/${ref}`, {
      MESS: [{ status: { code: "in_progress" } }],
    });
    const uploaded = await browser.fetch(`/mess/${ref}/attachments?name=note.txt`, {
      method: "POST",
      body: "green",
      headers: { "Content-Type": "text/plain" },
    });
    const { file } = await expectOkJson(uploaded);
    await expectOkJson(
      await browser.appendBlocks(ref, { response: { content: [{ file: { file } }] } }),
    );

    expect([claimed.status, posted.status, uploaded.status]).toEqual([200, 200, 201]);
    const { attachments, cursor } = await browser.readState(ref);
    expect(await (await browser.fetch(attachments[0].url)).text()).toBe("green");
    for (const path of [
      `/mess/${ref}`,
      `/mess/${ref}/route`,
      `/mess/${ref}/wait?cursor=${cursor - 1}&timeout=0`,
      `/mess/${ref}/messages/claim-001`,
      `/thread/${ref}`,
    ])
      expect((await browser.fetch(path)).status).toBe(200);
    for (const path of [`/mess`, `/api/v1/household`, `/mess/${ref}/links`])
      expect(await readRefusal(await browser.fetch(path))).toBe("401 unauthenticated");
    expect(await readRefusal(await browser.post("/mess", { MESS: [claim] }))).toBe(
      "401 unauthenticated",
    );
    expect((await agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("a session of a link sends messages only for the exchange's own pages", async () => {
    const { ref, browser, agent } = await openScene();

    for (const headers of [{}, { "X-MESS-Client": "other" }] as Record<string, string>[]) {
      browser.headers = headers;
      for (const path of [`/mess?ref=${ref}`, `/thread/${ref}`, `/mess/${ref}/attachments`])
        expect(await readRefusal(await browser.post(path, { MESS: [claim] }))).toBe(
          "400 unsafe_message",
        );
      expect((await browser.fetch(`/respond/state?ref=${ref}`)).status).toBe(200);
    }
    expect((await agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
  });

  it("a Bearer prevails over a session of a link", async () => {
    const { ref, browser, ben } = await openScene();

    const response = await browser.fetch(`/respond/state?ref=${ref}`, {
      headers: { Authorization: `Bearer ${ben.key}` },
    });

    expect(await readRefusal(response)).toBe("404 not_found");
  });

  it("a session of a link is removed on request", async () => {
    const { ref, browser } = await openScene();

    const response = await browser.fetch(`/respond/session?ref=${ref}`, { method: "DELETE" });

    expect(response.status).toBe(204);
    expect(browser.cookies.size).toBe(0);
  });

  it("a session of a link is not a Bearer token, and the link's token is not a cookie", async () => {
    const { ref, browser, link } = await openScene();
    const [[name, value]] = [...browser.cookies] as [[string, string]];
    const swapped = new Browser();
    swapped.cookies.set(name, link.token);

    const asBearer = await sendRequest(`/mess/${ref}`, {
      headers: { Authorization: `Bearer ${value}` },
    });

    expect(await readRefusal(asBearer)).toBe("401 unauthenticated");
    expect(await readRefusal(await swapped.fetch(`/mess/${ref}`))).toBe("401 unauthenticated");
  });
});
