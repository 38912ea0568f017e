/** All channels of a group in one list, for owners. */
import { expect, it } from "vitest";
import { createGroup, getCode, getContents, unwrap } from "./support.ts";

it("owners read all channels, newest first, in pages, and mark nothing", async () => {
  const group = await createGroup();
  for (const number of [1, 2, 3]) {
    await group.send("boss", "indy", `to indy ${number}`);
    await group.send("boss", "rocky", `to rocky ${number}`);
  }

  const first = unwrap(await group.rpc.read(group.asOwner(), { limit: 4 }));
  const last = first.messages.at(-1)!.seq;
  const rest = unwrap(await group.rpc.read(group.asOwner(), { limit: 4, before: last }));

  expect(getContents(first)).toEqual(["to rocky 3", "to indy 3", "to rocky 2", "to indy 2"]);
  expect(getContents(rest)).toEqual(["to rocky 1", "to indy 1"]);
  expect([first.more, rest.more]).toEqual([true, false]);
  expect((await group.pending("indy")).total_pending).toBe(3);
});

it("an owner that is a member reads all channels on request; other members do not", async () => {
  const group = await createGroup();
  await group.send("indy", "rocky", "between us");
  const boss = { principal: group.buildPrincipal("boss", "owner") };

  const own = unwrap(await group.rpc.read(boss, {}));
  const all = unwrap(await group.rpc.read(boss, { all: true }));
  const refused = await group.rpc.read(group.as("boss"), { all: true });

  expect(getContents(own)).toEqual([]);
  expect(getContents(all)).toEqual(["between us"]);
  expect(getCode(refused)).toBe("wrong_role");
});
