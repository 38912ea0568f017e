import { afterEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { createOutboxScene, stubProvider } from "./outbox-scene.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("approving a draft", () => {
  it("sends what the owner approved, once, after the time for undoing", async () => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());

    const approved = await scene.approve(draft);
    await scene.runAlarm();
    const before = provider.listFor(scene);
    await scene.passTime();
    await scene.passTime();

    expect(approved).toMatchObject({ state: "approved", approved_by: scene.person.actor });
    expect(before).toEqual([]);
    expect(provider.listFor(scene)).toHaveLength(1);
    expect(provider.listFor(scene)[0]).toMatchObject({
      key: `${draft.id}-1`,
      to: ["ann@elsewhere.test"],
      subject: "Re: Message 1",
      body: "I am coming.",
      answers: { external_id: "<1@elsewhere.test>", channel: "ann@elsewhere.test" },
    });
    expect(await scene.read(draft.id)).toMatchObject({ state: "sent", external_id: "sent-1" });
    const message = unwrap(await scene.rpc.messages.read(draft.message!));
    expect(message).toMatchObject({ status: "sent", draft: draft.id });
  });

  it.each<[string, Partial<Principal>]>([
    ["an owner's key", { credential: "key:k1" }],
    ["an OAuth grant of an owner", { credential: "grant:g1" }],
    ["an agent in a browser session", { role: "agent" }],
    ["an executor in a browser session", { role: "executor" }],
    ["a link", { scope: { ref: "r", permissions: ["respond"], jti: "1" } }],
    ["a credential that is limited to paths", { paths: ["msg/hook/outbox"] }],
  ])("is refused for %s, and so is undoing", async (_name, change) => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());
    const caller = { ...scene.person, ...change };

    const approval = { draft: draft.id, digest: draft.digest };
    expect(getCode(await scene.rpc.outbox.approve(caller, approval))).toBe("person_required");
    await scene.approve(draft);
    expect(getCode(await scene.rpc.outbox.undo(caller, draft.id))).toBe("person_required");
    expect(provider.listFor(scene)).toEqual([]);
  });

  it("is refused without a credential, and in a session that a key may have opened", async () => {
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());
    const { credential: _none, ...exchange } = scene.person;
    const { verified: _verified, ...unverified } = scene.person;

    const approval = { draft: draft.id, digest: draft.digest };
    for (const caller of [exchange, unverified])
      expect(getCode(await scene.rpc.outbox.approve(caller, approval))).toBe("person_required");
  });

  it("is refused for a draft that was edited meanwhile, with the new digest", async () => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());
    const change = { body: "I am not coming.", revision: 1 };
    const revised = unwrap(await scene.rpc.outbox.revise(scene.agent, draft.id, change));

    const outcome = await scene.rpc.outbox.approve(scene.person, {
      draft: draft.id,
      digest: draft.digest,
    });
    await scene.passTime();

    expect(outcome).toMatchObject({ error: { code: "draft_changed", valid: [revised.digest] } });
    expect(provider.listFor(scene)).toEqual([]);
  });

  it("counts once where two owners approve at the same time", async () => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());
    const approval = { draft: draft.id, digest: draft.digest };

    const outcomes = await Promise.all([
      scene.rpc.outbox.approve(scene.person, approval),
      scene.rpc.outbox.approve({ ...scene.person, actor: "otto" }, approval),
    ]);
    await scene.passTime();

    expect(outcomes.map(getCode).toSorted()).toEqual(["draft_finished", "ok"]);
    expect(provider.listFor(scene)).toHaveLength(1);
  });

  it("freezes the draft until it is undone, after which nothing is sent", async () => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const draft = await scene.write(await scene.receive());
    await scene.approve(draft);

    const change = { body: "Other words.", revision: 1 };
    expect(getCode(await scene.rpc.outbox.revise(scene.agent, draft.id, change))).toBe(
      "draft_finished",
    );
    expect(getCode(await scene.rpc.outbox.discard(scene.agent, draft.id))).toBe("draft_finished");
    const undone = unwrap(await scene.rpc.outbox.undo(scene.person, draft.id));
    await scene.passTime();

    expect(undone.state).toBe("draft");
    expect(provider.listFor(scene)).toEqual([]);
  });

  it("is refused for a disconnected source, and an approved draft fails when its source was disconnected", async () => {
    const provider = stubProvider();
    const scene = await createOutboxScene();
    const [first, second] = [
      await scene.write(await scene.receive()),
      await scene.write(await scene.receive(), "Another."),
    ];
    await scene.approve(first);
    await scene.disconnect();

    const approval = { draft: second.id, digest: second.digest };
    expect(getCode(await scene.rpc.outbox.approve(scene.person, approval))).toBe(
      "source_disconnected",
    );
    await scene.passTime();

    expect(await scene.read(first.id)).toMatchObject({ state: "failed", note: expect.any(String) });
    expect(provider.listFor(scene)).toEqual([]);
  });
});
