import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { createFreshThread } from "./support.ts";

const START = new Date("2051-05-04T08:00:00Z").getTime();

afterEach(() => vi.useRealTimers());

it("a file is named by its message's serial, even if an expired lease adds a message before it", async () => {
  vi.setSystemTime(START);
  const { household, append, read } = await createFreshThread();
  await append("bot", { status: { code: "claimed" } });
  const key = `${household}/2051-05-04/photo`;
  await env.BLOBS.put(key, "bytes");
  const blob = { token: "upload-1", key, kind: "file" as const, mime: "text/plain", size: 5 };

  // The robot's lease has ended, but no alarm has recorded that.
  vi.setSystemTime(START + 3_600_000);
  const outcome = await append(
    "ann",
    { response: { content: [{ file: { file: "upload-1" } }] } },
    { blobs: [blob] },
  );

  expect(outcome).toMatchObject({ value: { message_ref: expect.stringMatching(/response-003$/) } });
  const { attachments } = await read();
  expect(attachments).toMatchObject([{ serial: 3, name: expect.stringMatching(/^att-003-/) }]);
});
