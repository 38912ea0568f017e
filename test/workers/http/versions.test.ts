/** The protocol version of stored messages (decision 77), in reads, acks and thread files. */
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { type Caller, createFreshHousehold, expectOkJson } from "../support.ts";

const NEEDED_BY = "2099-05-06T18:00:00+00:00";

async function exportThread(caller: Caller, ref: string) {
  const response = await caller.fetch(`/mess/${ref}/archive.zip`);
  const zip = new Uint8Array(await response.arrayBuffer());
  return { zip, text: new TextDecoder().decode(Object.values(unzipSync(zip))[0]) };
}

it("messages with fields of version 1.1 are written with it, and others as they were sent", async () => {
  const { agent, ben } = await createFreshHousehold();
  const ref = await agent.createThread("carry the box", {
    requires: ["carry"],
    needed_by: NEEDED_BY,
  });
  await ben.appendBlocks(ref, { status: { code: "claimed", estimate: "PT45M" } });
  await ben.appendBlocks(ref, { v: "1.0.0" }, { response: { content: ["done"] } });

  const { messages } = await agent.read(`/mess/${ref}`);

  const sent = messages.filter(({ from }: { from: string }) => from !== "exchange");
  expect(sent.map(({ MESS }: { MESS: { v?: string }[] }) => MESS[0]?.v)).toEqual([
    "1.1.0",
    "1.1.0",
    "1.0.0",
  ]);
});

it("a stated version that is too low is raised with a warning in the ack", async () => {
  const { agent, ben } = await createFreshHousehold();

  const body = await expectOkJson(
    await agent.postBlocks(
      { v: "1.0.0" },
      { request: { intent: "carry the box", requires: ["carry"], needed_by: NEEDED_BY } },
    ),
  );
  const { ref, warnings } = body.MESS[0].ack;
  const claimed = await ben.appendBlocks(
    ref,
    { v: "1.0" },
    { status: { code: "claimed", estimate: "PT45M" } },
  );
  const plain = await ben.appendBlocks(ref, { v: "1.0" }, { status: { code: "in_progress" } });

  expect(warnings).toEqual([expect.stringContaining("needed_by")]);
  expect(claimed.warnings).toEqual([expect.stringContaining("estimate")]);
  expect(plain.warnings).toBeUndefined();
});

it("export, import into another household and export give the same bytes with both versions", async () => {
  const from = await createFreshHousehold();
  const into = await createFreshHousehold();
  const ref = await from.agent.createThread("carry the box", {
    requires: ["carry"],
    needed_by: NEEDED_BY,
    confirm_before: true,
  });
  await from.ben.appendBlocks(ref, { v: "1.0.0" }, { status: { code: "claimed" } });
  const first = await exportThread(from.owner, ref);

  await expectOkJson(
    await into.owner.fetch("/mess/import", {
      method: "POST",
      body: first.zip,
      headers: { "Content-Type": "application/zip" },
    }),
  );

  expect(first.text.match(/- v: .*/g)).toEqual(['- v: "1.1.0"', '- v: "1.0.0"']);
  expect((await exportThread(into.owner, ref)).text).toBe(first.text);
});
