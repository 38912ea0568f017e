/** Who sees which message source, and what it may do there. */
import { expect, test } from "vitest";
import type { Principal } from "../../../../src/auth/principal.ts";
import { getCode, unwrap } from "../../outcomes.ts";
import { addKey, createSourceHousehold, MAIL, type SourceHousehold } from "./support.ts";

const listCodes = async ({ rpc }: SourceHousehold, caller: Principal, source: string) => [
  getCode(await rpc.sources.authorize(caller, source, "read")),
  getCode(await rpc.sources.authorize(caller, source, "draft")),
  getCode(await rpc.sources.authorize(caller, source, "classify")),
];

const listNames = async ({ rpc }: SourceHousehold, caller: Principal) =>
  unwrap(await rpc.sources.list(caller)).map(({ name }) => name);

test("an owner may do everything with every source", async () => {
  const home = await createSourceHousehold();

  expect(await listNames(home, home.owner)).toEqual(["alerts", "email"]);
  expect(await listCodes(home, home.owner, "email")).toEqual(["ok", "ok", "ok"]);
  expect(await listCodes(home, home.owner, "absent")).toEqual(Array(3).fill("not_found"));
});

test("keys of agents and executors see no source, whether it exists or not", async () => {
  const home = await createSourceHousehold();

  for (const role of ["agent", "executor"] as const) {
    const caller = await addKey(home, "bob", role);
    expect(getCode(await home.rpc.sources.list(caller))).toBe("wrong_role");
    for (const source of ["email", "absent"])
      expect(await listCodes(home, caller, source)).toEqual(Array(3).fill("wrong_role"));
  }
});

test("a key with a path sees that source only, and no other looks different from an absent one", async () => {
  const home = await createSourceHousehold({ email: MAIL, em: MAIL, "email-2": MAIL });
  const reader = await addKey(home, "bob", "agent", ["msg/email"]);

  expect(await listNames(home, reader)).toEqual(["email"]);
  expect(await listCodes(home, reader, "email")).toEqual(["ok", "wrong_role", "wrong_role"]);
  for (const source of ["em", "email-2", "absent", "Email", "email/outbox", "../email", "*", ""])
    expect(await listCodes(home, reader, source)).toEqual(Array(3).fill("not_found"));
});

test("a shorter name opens no longer one", async () => {
  const home = await createSourceHousehold({ email: MAIL, em: MAIL });
  const reader = await addKey(home, "bob", "agent", ["msg/em", "msg/em/outbox"]);

  expect(await listNames(home, reader)).toEqual(["em"]);
  expect(await listCodes(home, reader, "email")).toEqual(Array(3).fill("not_found"));
});

test("a key for an outbox writes drafts and reads nothing", async () => {
  const home = await createSourceHousehold();
  const writer = await addKey(home, "bob", "agent", ["msg/email/outbox"]);

  expect(await listNames(home, writer)).toEqual([]);
  expect(await listCodes(home, writer, "email")).toEqual(["wrong_role", "ok", "wrong_role"]);
  expect(await listCodes(home, writer, "alerts")).toEqual(Array(3).fill("not_found"));
});

test("a key of another household opens no source of this one", async () => {
  const home = await createSourceHousehold();
  const other = await createSourceHousehold();
  const stranger = await addKey(other, "olga", "agent", ["msg"]);

  for (const caller of [other.owner, stranger]) {
    expect(getCode(await home.rpc.sources.list(caller))).toBe("unauthenticated");
    expect(await listCodes(home, caller, "email")).toEqual(Array(3).fill("unauthenticated"));
  }
});

test("a revoked key and a link open no source", async () => {
  const home = await createSourceHousehold();
  const reader = await addKey(home, "bob", "agent", ["msg"]);
  unwrap(await home.rpc.identity.revokeKey(reader.credential!.slice("key:".length)));
  const { credential: _credential, ...bearer } = home.owner;

  expect(await listCodes(home, reader, "email")).toEqual(Array(3).fill("unauthenticated"));
  expect(await listCodes(home, bearer, "email")).toEqual(Array(3).fill("wrong_role"));
});

test("a client reads messages only for a person who is an owner", async () => {
  const home = await createSourceHousehold();
  const clients: [string, "owner" | "agent", string][] = [
    ["olga", "owner", "g1"],
    ["kim", "agent", "g2"],
  ];
  const codes: string[][] = [];

  for (const [actor, role, grant] of clients) {
    const hash = crypto.randomUUID().replaceAll("-", "").repeat(2);
    unwrap(await home.rpc.identity.invite({ actor, role, hash }));
    const session = crypto.randomUUID().replaceAll("-", "").repeat(2);
    unwrap(await home.rpc.identity.acceptInvitation(hash, session));
    const made = unwrap(
      await home.rpc.identity.createGrant(session, {
        id: grant,
        client_id: "c",
        client: "Claude",
        host: "claude.ai",
        label: "claude",
        role: "agent",
      }),
    );
    const paths = ["msg", "msg/*/outbox", "msg/classify"];
    const client: Principal = {
      household: home.id,
      ...made,
      credential: `grant:${grant}`,
      paths,
    };
    codes.push(await listCodes(home, client, "email"));
  }

  expect(codes).toEqual([
    ["ok", "ok", "ok"],
    ["wrong_role", "wrong_role", "wrong_role"],
  ]);
});
