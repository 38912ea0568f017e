import { expect, it } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type { Block } from "../../../src/mess/wire/schema.ts";
import type { ThreadState } from "../../../src/mess/thread/state.ts";
import {
  endsApprovalWithoutPerson,
  findDecidingPerson,
  getSessionOwner,
} from "../../../src/thread/deciding-person.ts";

const PERSON: Principal = {
  household: "home",
  actor: "olga",
  role: "owner",
  credential: "session:browser",
  verified: true,
};
const COMPLETED = { type: "status", body: { code: "completed" } } as Block;
const ANSWER = { type: "response", body: { content: ["To Bob instead."] } } as Block;
const ORIGIN = { source: "mail", draft: "d_1", digest: "1" };

const find = (blocks: Block[], channel = "http", origin: object = ORIGIN) => {
  const before = { status: "pending", origin } as ThreadState;
  return findDecidingPerson(
    before,
    { ...before, status: "completed" },
    { blocks },
    channel,
    "olga",
  );
};

it.each<[string, Partial<Principal>, string | undefined]>([
  ["an owner in a browser session", {}, "olga"],
  ["a key", { credential: "key:1" }, undefined],
  ["a grant", { credential: "grant:1" }, undefined],
  ["an agent in a browser session", { role: "agent" }, undefined],
  ["a link that a signed-in owner opened", { scope: { ref: "r", permissions: [] } }, undefined],
  ["a credential that is limited to paths", { paths: ["msg/mail"] }, undefined],
])("%s is taken for a person only if it is one", (_name, change, expected) => {
  expect(getSessionOwner({ ...PERSON, ...change })).toBe(expected);
});

it("an owner whose session a key may have opened is not taken for a person", () => {
  const { verified: _verified, ...owner } = PERSON;

  expect(getSessionOwner(owner)).toBeUndefined();
});

it("only a bare completion decides a request", () => {
  expect(find([COMPLETED])).toBe("olga");
  expect(find([COMPLETED, ANSWER])).toBeUndefined();
  expect(find([ANSWER, COMPLETED])).toBeUndefined();
  expect(find([ANSWER])).toBeUndefined();
});

it.each<[string, string | undefined, object, boolean]>([
  ["telegram", "olga", ORIGIN, false],
  ["telegram", undefined, ORIGIN, true],
  ["sms", "olga", ORIGIN, true],
  ["email", "olga", ORIGIN, true],
  // The draft was not shown, so that nothing is approved.
  ["telegram", undefined, { source: "mail", draft: "d_1" }, false],
  ["telegram", undefined, { group: "g", task: "t" }, false],
])(
  "ending a request by %s as %s, with the origin %j, needs a person: %s",
  (channel, person, origin, expected) => {
    const before = { status: "pending", origin } as ThreadState;
    const end = (status: ThreadState["status"]) =>
      endsApprovalWithoutPerson(before, { ...before, status }, channel, person);

    expect(end("completed")).toBe(expected);
    expect(end("declined")).toBe(false);
  },
);

it("a text message or mail, whose sender can be forged, decides nothing, and no other request is decided", () => {
  expect(find([COMPLETED], "telegram")).toBe("olga");
  expect(find([COMPLETED], "sms")).toBeUndefined();
  expect(find([COMPLETED], "email")).toBeUndefined();
  expect(find([COMPLETED], "http", { group: "g", task: "t" })).toBeUndefined();
});
