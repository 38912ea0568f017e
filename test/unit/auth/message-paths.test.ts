/** Paths that limit a credential to message sources. */
import { describe, expect, it } from "vitest";
import { allowsAccess, isMessagePath } from "../../../src/auth/message-paths.ts";

describe("a path of message sources", () => {
  it.for(["msg", "msg/email", "msg/a", "msg/email/outbox", "msg/*/outbox", "msg/classify"])(
    "accepts %j",
    (path) => expect(isMessagePath(path)).toBe(true),
  );

  it.for([
    "",
    "/msg",
    "msg/",
    "/",
    "*",
    "msg/*",
    "msg/email/",
    "msg//outbox",
    "msg/email/outbox/",
    "msg/email/outbox/d_1",
    "msg/email/drafts",
    "msg/classify/outbox",
    "msg/../email",
    "msg/email/../alerts",
    "msg/..",
    "msg/.",
    "msg/%65mail",
    "msg/Email",
    "MSG/email",
    "msg/em\u00adail",
    "msg/ema\u0131l",
    "msg/\uff45mail",
    "msg/email\u0000",
    "msg/email ",
    " msg/email",
    "msg/email\n",
    "msg\\email",
    "msg/email?x=1",
    "msg/drafts",
    `msg/${"a".repeat(33)}`,
    "n/msg/email",
  ])("refuses %j", (path) => expect(isMessagePath(path)).toBe(false));
});

describe("what paths allow", () => {
  it.for<[string[], string, boolean, boolean, boolean]>([
    [["msg"], "email", true, false, false],
    [["msg/email"], "email", true, false, false],
    [["msg/email"], "alerts", false, false, false],
    [["msg/em"], "email", false, false, false],
    [["msg/email"], "em", false, false, false],
    [["msg/email/outbox"], "email", false, true, false],
    [["msg/email/outbox"], "alerts", false, false, false],
    [["msg/*/outbox"], "alerts", false, true, false],
    [["msg/classify"], "email", false, false, false],
    [["msg/email", "msg/classify"], "email", true, false, true],
    [["msg/email", "msg/classify"], "alerts", false, false, false],
    [["msg", "msg/*/outbox", "msg/classify"], "email", true, true, true],
    [[], "email", false, false, false],
  ])("%j allows %s: read %s, draft %s, classify %s", ([paths, source, read, draft, classify]) => {
    expect(allowsAccess(paths, source, "read")).toBe(read);
    expect(allowsAccess(paths, source, "draft")).toBe(draft);
    expect(allowsAccess(paths, source, "classify")).toBe(classify);
  });

  it.for(["*", "..", "Email", "email/outbox", "classify", "", "__proto__"])(
    "allows nothing for %j, which is no name of a source",
    (name) => {
      const paths = ["msg", "msg/*/outbox", "msg/classify", `msg/${name}`];
      expect(allowsAccess(paths, name, "read")).toBe(false);
      expect(allowsAccess(paths, name, "draft")).toBe(false);
    },
  );
});
