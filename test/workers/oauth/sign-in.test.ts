import { afterEach, describe, expect, it, vi } from "vitest";
import {
  Caller,
  createFreshHousehold,
  OPERATOR_KEY,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../support.ts";
import { Browser, Document, isSignedIn, createSignInLink, openSignedIn } from "./support.ts";
import { createRatedWorker } from "../quotas/rate-support.ts";

const SESSION = "__Host-mess-session";
const operator = new Caller("operator", OPERATOR_KEY);
const getPath = (url: string): string => url.slice(ORIGIN.length);

afterEach(() => {
  vi.useRealTimers();
});

describe("a sign-in link", () => {
  it("a sign-in link is created by an owner, for a person with the given role", async () => {
    const home = await createFreshHousehold();

    const response = await home.owner.post("/api/v1/sign-in-links", {
      actor: "cleo",
      role: "agent",
    });

    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      url: expect.stringMatching(
        new RegExp(`^${ORIGIN}/sign-in\\?token=signin_${home.id}_[0-9a-f]{64}$`),
      ),
      actor: "cleo",
      role: "agent",
      expires: expect.any(String),
    });
    const { people } = await home.owner.read("/api/v1/people");
    expect(people).toEqual([
      { actor: "cleo", role: "agent", passkeys: 0, sessions: 0, since: expect.any(String) },
    ]);
  });

  it("a sign-in link takes the role of an existing member, and requires one for a new member", async () => {
    const home = await createFreshHousehold();
    const make = async (body: object) => {
      const response = await home.owner.post("/api/v1/sign-in-links", body);
      const { role, error } = await response.json<{ role?: string; error?: { code: string } }>();
      return role ?? error?.code;
    };

    expect(await make({ actor: "owner" })).toBe("owner");
    expect(await make({ actor: "scout" })).toBe("agent");
    expect(await make({ actor: "ann" })).toBe("executor");
    expect(await make({ actor: "cleo" })).toBe("missing_field");
    expect(await make({ actor: "ann", role: "owner" })).toBe("already_exists");
    expect(await make({ actor: "exchange", role: "owner" })).toBe("reserved_id");
    expect(await make({ actor: "Not An Id", role: "owner" })).toBe("bad_field");
  });

  it("a sign-in link is created only by owners, and by the operator for owners", async () => {
    const home = await createFreshHousehold();
    const body = { actor: "ann" };
    const postAsOperator = (path: string, given: object) =>
      operator.post(`/api/v1/households/${path}/sign-in-links`, given);

    const answers = await Promise.all([
      home.agent.post("/api/v1/sign-in-links", body),
      home.ann.post("/api/v1/sign-in-links", body),
      operator.post("/api/v1/sign-in-links", body),
      home.owner.post(`/api/v1/households/${home.id}/sign-in-links`, {}),
      postAsOperator(home.id, body),
      postAsOperator(home.id, { actor: "stranger" }),
      postAsOperator("no-such-household", {}),
      postAsOperator(home.id, {}),
    ]);

    expect(await Promise.all(answers.slice(0, 7).map(readRefusal))).toEqual([
      "403 wrong_role",
      "403 wrong_role",
      "401 unauthenticated",
      "401 unauthenticated",
      "403 wrong_role",
      "403 wrong_role",
      "404 not_found",
    ]);
    expect(await answers[7]?.json()).toMatchObject({ actor: "owner", role: "owner" });
  });

  it("a sign-in link is not used up by reading it, with any method", async () => {
    const home = await createFreshHousehold();
    const url = await createSignInLink(home, "ann");
    const preview = new Browser();

    for (let n = 0; n < 20; n++)
      for (const method of ["GET", "HEAD", "OPTIONS"])
        await preview.fetch(getPath(url), { method });

    expect(await isSignedIn(preview)).toBe(false);
    const browser = new Browser();
    expect((await browser.follow(url)).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("a sign-in link shows the person to sign in, and keeps its token from other sites", async () => {
    const home = await createFreshHousehold();

    const page = await new Browser().open(getPath(await createSignInLink(home, "ann")));

    expect(page.text).toContain(`<bdi>${home.id}</bdi>`);
    expect(page.text).toContain("<strong><bdi>ann</bdi> (");
    expect(page.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(page.headers.get("Cache-Control")).toBe("no-store");
  });

  it("a sign-in link works once", async () => {
    const url = await createSignInLink(await createFreshHousehold(), "ann");
    const browser = new Browser();
    const page = await browser.open(getPath(url));
    await browser.follow(url);
    const second = new Browser();
    const own = await second.open("/sign-in");

    const again = await browser.submit("/sign-in", page.hidden());
    const elsewhere = await second.submit("/sign-in", { ...own.hidden(), token: url });

    expect([again.status, elsewhere.status]).toEqual([401, 401]);
    expect(await isSignedIn(second)).toBe(false);
  });

  it("a sign-in link that is used several times concurrently signs one browser in", async () => {
    const url = await createSignInLink(await createFreshHousehold(), "ann");

    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const browser = new Browser();
        const page = await browser.open("/sign-in");
        return (await browser.submit("/sign-in", { ...page.hidden(), token: url })).status;
      }),
    );

    expect(statuses.toSorted((one, other) => one - other)).toEqual([303, 401, 401, 401, 401]);
  });

  it("a sign-in link ends after 15 minutes, and with the next link for the same person", async () => {
    const home = await createFreshHousehold();
    const replaced = await createSignInLink(home, "ann");
    const late = await createSignInLink(home, "ann");
    const browser = new Browser();

    expect((await browser.open(getPath(replaced))).status).toBe(401);
    const page = await browser.open(getPath(late));
    vi.setSystemTime(Date.now() + 15 * 60_000 + 1);
    expect((await browser.submit("/sign-in", page.hidden())).status).toBe(401);
  });

  it("a sign-in link that is used, unknown, of another household or invalid gets the same page", async () => {
    const home = await createFreshHousehold();
    const used = await createSignInLink(home, "ann");
    await new Browser().follow(used);
    const secret = "0".repeat(64);

    const pages = await Promise.all(
      [
        getPath(used),
        `/sign-in?token=signin_${home.id}_${secret}`,
        `/sign-in?token=signin_no-such-household_${secret}`,
        "/sign-in?token=nonsense",
        "/sign-in?token=",
      ].map((path) => new Browser().open(path)),
    );

    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    const [page] = pages;
    expect([page?.status, page?.hidden()]).toEqual([401, {}]);
    // The page links to other ways to sign in.
    expect(page?.text).toContain('href="/sign-in"');
  });

  it("a sign-in link redirects only to an authorization request", async () => {
    const home = await createFreshHousehold();
    const targets = [
      "https://evil.test/",
      "//evil.test",
      "/\\evil.test",
      "javascript:alert(1)",
      "/mess",
      "/authorize",
      "/authorize/../x",
    ];
    for (const next of targets) {
      const url = await createSignInLink(home, "ann");
      const browser = new Browser();
      const page = await browser.open(getPath(url));

      const response = await browser.submit("/sign-in", { ...page.hidden(), next });

      expect(response.headers.get("Location"), next).toBe("/sign-in");
    }
  });
});

describe("a session", () => {
  it("a session is stored in a cookie that no script can read and no other host gets", async () => {
    const home = await createFreshHousehold();
    const url = await createSignInLink(home, "ann");
    const browser = new Browser();

    const response = await browser.follow(url);

    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      new RegExp(`^${SESSION}=[^;]+; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000$`),
    );
    expect(cookie).not.toContain(home.id);
  });

  it("a session holds several households of one person", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];

    const browser = await openSignedIn([villa, "ann"], [cabin, "ben"]);

    const { text } = await browser.open("/sign-in");
    expect(text).toContain(villa.id);
    expect(text).toContain(cabin.id);
  });

  it("a session with any changed part is refused", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const token = browser.cookies.get(SESSION)!;
    const parts = token.split(".");
    const changed = parts.flatMap((part, n) =>
      part === ""
        ? []
        : [0, Math.floor(part.length / 2)].map((at) => {
            const letter = part[at] === "A" ? "B" : "A";
            return parts.with(n, part.slice(0, at) + letter + part.slice(at + 1)).join(".");
          }),
    );

    const faults = [...changed, "", "x", ".", "....", parts.slice(0, 4).join("."), `${token}.x`];
    for (const fault of faults) {
      browser.cookies.set(SESSION, fault);
      expect(await isSignedIn(browser), fault).toBe(false);
    }
    browser.cookies.set(SESSION, token);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("a session cannot be replaced by the content of another sealed cookie", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const { form } = await browser.open("/sign-in");
    await browser.json("/sign-in/passkey/options", { form });
    const challenge = browser.cookies.get("__Host-mess-challenge")!;

    browser.cookies.set(SESSION, challenge);

    expect(challenge).toBeTruthy();
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("a session ends on sign-out, also for a copy of the cookie", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const copy = browser.cookies.get(SESSION)!;
    const page = await browser.open("/sign-in");

    await browser.submit("/sign-out", page.hidden());

    expect(browser.cookies.has(SESSION)).toBe(false);
    browser.cookies.set(SESSION, copy);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("a session ends when its person is removed, only in that household", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await openSignedIn([villa, "ann"], [cabin, "ann"]);

    await villa.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    const { text } = await browser.open("/sign-in");
    expect(text).not.toContain(villa.id);
    expect(text).toContain(cabin.id);
  });

  it("a session ends after 30 days", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    vi.setSystemTime(Date.now() + 30 * 86_400_000 + 1_000);

    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("a form", () => {
  const createForms = async () => {
    const home = await createFreshHousehold();
    const url = await createSignInLink(home, "ann");
    const browser = new Browser();
    const page = await browser.open(getPath(url));
    return { home, browser, fields: page.hidden() };
  };

  it("a form of another site is refused: without a token, with another token, without a cookie", async () => {
    const { browser, fields } = await createForms();
    const foreign = (await new Browser().open("/sign-in")).form;
    const { form: _form, ...without } = fields;
    const bare = new Browser();

    const statuses = [
      (await browser.submit("/sign-in", without)).status,
      (await browser.submit("/sign-in", { ...without, form: foreign })).status,
      (await bare.submit("/sign-in", fields)).status,
    ];

    expect(statuses).toEqual([400, 400, 400]);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.submit("/sign-in", fields)).status).toBe(303);
  });

  it("a form is refused if the browser reports that another site sent it", async () => {
    const { browser, fields } = await createForms();

    for (const site of ["cross-site", "same-site", "none"]) {
      const response = await browser.fetch("/sign-in", {
        method: "POST",
        headers: { "Sec-Fetch-Site": site },
        body: new URLSearchParams(fields),
      });
      expect(response.status, site).toBe(400);
    }
  });

  it("a body that is not a form, too large or of another type is refused", async () => {
    const { browser, fields } = await createForms();
    const post = async (body: BodyInit, type?: string) => {
      const headers = type === undefined ? {} : { "Content-Type": type };
      return (await Document.of(await browser.fetch("/sign-in", { method: "POST", headers, body })))
        .status;
    };

    expect(await post(JSON.stringify(fields), "application/json")).toBe(415);
    expect(await post("x".repeat(40_000), "application/x-www-form-urlencoded")).toBe(413);
    expect(await post("", "application/x-www-form-urlencoded")).toBe(400);
  });

  it("a form of another site cannot sign a person out", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);

    const response = await browser.submit("/sign-out", {});

    expect(response.status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("sign-in attempts from one address", () => {
  it("sign-in attempts from one address are limited, and those of other addresses are not", async () => {
    const worker = createRatedWorker({ address: 5 });
    const attempt = (address: string) =>
      worker.fetch("/sign-in", {
        method: "POST",
        headers: { "CF-Connecting-IP": address },
        body: new URLSearchParams({ token: `signin_home_${"0".repeat(64)}` }),
      });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await attempt("192.0.2.1")).status);

    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await attempt("192.0.2.2")).status).toBe(400);
  });
});

describe("methods of pages", () => {
  it.each([
    ["PUT", "/sign-in", "GET, HEAD, OPTIONS, POST"],
    ["DELETE", "/authorize", "GET, HEAD, OPTIONS, POST"],
    ["GET", "/sign-out", "OPTIONS, POST"],
    ["GET", "/passkeys", "OPTIONS, POST"],
    ["POST", "/.well-known/oauth-protected-resource/mcp", "GET, HEAD, OPTIONS"],
  ])("pages refuse %s %s with the methods that they accept", async (method, path, allowed) => {
    const response = await sendRequest(path, { method });

    expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
  });
});
