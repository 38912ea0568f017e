import { afterEach, describe, expect, it } from "vitest";
import type { Caller } from "../../support.ts";
import { expectOkJson, readRefusal } from "../../support.ts";
import { createScene, type GroupScene } from "./support.ts";

interface GroupEvent {
  id: string;
  content: string;
}

const open: ReadableStreamDefaultReader<string>[] = [];
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.cancel();
});

/** Opens the stream of events; the function returns the next one, or undefined at the end. */
async function watch(caller: Caller, { path }: GroupScene, lastId?: string) {
  const headers = lastId === undefined ? {} : { "Last-Event-ID": lastId };
  const response = await caller.fetch(path("/events"), { headers });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([
    200,
    "text/event-stream",
  ]);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  open.push(reader);
  let text = "";
  return async (): Promise<GroupEvent | undefined> => {
    for (;;) {
      const found = /id: (\d+)\nevent: message\ndata: (\{.*\})\n\n/.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        const { content } = JSON.parse(found[2]!) as { content: string };
        return { id: found[1]!, content };
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
}

describe("the events of an AI group", () => {
  it("members get the messages of their channels, and owners those of all", async () => {
    const scene = await createScene();
    const { home, ops, indy, rocky, send } = scene;
    const [owner, third] = [await watch(home.owner, scene), await watch(rocky.caller, scene)];

    await send(ops, indy, "for indy");
    await send(ops, rocky, "for rocky");

    expect([await owner(), await owner()]).toEqual([
      { id: "1", content: "for indy" },
      { id: "2", content: "for rocky" },
    ]);
    expect(await third()).toEqual({ id: "2", content: "for rocky" });
  });

  it("a client that reconnects gets the messages after its last event, and the next ones", async () => {
    const scene = await createScene();
    const { ops, indy, rocky, send, path } = scene;
    for (const number of [1, 2, 3]) {
      await send(ops, indy, `indy ${number}`);
      await send(ops, rocky, `rocky ${number}`);
    }

    const next = await watch(rocky.caller, scene, "2");
    const earlier = [await next(), await next()];
    await send(ops, rocky, "rocky 4");

    expect(earlier).toEqual([
      { id: "4", content: "rocky 2" },
      { id: "6", content: "rocky 3" },
    ]);
    expect(await next()).toEqual({ id: "7", content: "rocky 4" });
    expect((await rocky.caller.read(path("/pending"))).total_pending).toBe(4);
  });

  it("many earlier messages come in several streams, each of which continues the last", async () => {
    const scene = await createScene();
    const { ops, rocky, send } = scene;
    const count = 130;
    for (let number = 1; number <= count; number++) await send(ops, rocky, `number ${number}`);

    const ids: number[] = [];
    while (ids.length < count) {
      const next = await watch(rocky.caller, scene, String(ids.at(-1) ?? 0));
      for (let event = await next(); event; event = await next()) {
        ids.push(Number(event.id));
        if (ids.length === count) break;
      }
    }

    expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it("a stream ends with the key of its member", async () => {
    const scene = await createScene();
    const { home, ops, rocky, send } = scene;
    const next = await watch(rocky.caller, scene);
    await send(ops, rocky, "before");
    const { keys } = await home.owner.read("/api/v1/keys");
    const { id } = keys.find(({ actor }: { actor: string }) => actor === "rocky");

    await expectOkJson(await home.owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" }));

    expect(await next()).toEqual({ id: "1", content: "before" });
    expect(await next()).toBeUndefined();
  });

  it("a Last-Event-ID that is none is refused", async () => {
    const { ops, path } = await createScene();

    const refused = await ops.caller.fetch(path("/events"), {
      headers: { "Last-Event-ID": "yesterday" },
    });

    expect(await readRefusal(refused)).toBe("400 bad_parameter");
  });
});
