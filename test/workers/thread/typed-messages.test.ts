/** Messages built by a page, a tool or a channel are appended without a conversion to text. */
import { defined } from "../../../src/mess/defined.ts";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { postMessages, readThread, sendMessages } from "../../../src/exchange/exchange.ts";
import { messageToMess } from "../../../src/mess/wire/message.ts";
import { writeThreadYaml } from "../../../src/mess/messe-af/write.ts";
import type { Message } from "../../../src/mess/wire/schema.ts";
import {
  createReliabilityHousehold,
  type ReliabilityHousehold,
} from "../reliability/reliability-household.ts";

let home: ReliabilityHousehold;
beforeAll(async () => {
  home = await createReliabilityHousehold("typed");
});

const PHOTO = `data:image/png;base64,${"iVBORw0K".repeat(1_000)}`;
const MESSAGES: readonly Message["blocks"][] = [
  [{ type: "status", body: { code: "claimed", estimate: "PT5M" } }],
  [
    { type: "response", body: { content: ["two lines:\nyes & no", { image: PHOTO }] } },
    { type: "status", body: { code: "completed" } },
  ],
];

const postText = (actor: string, blocks: Message["blocks"], target?: string) =>
  postMessages(env, home.as(actor), {
    text: JSON.stringify({ MESS: messageToMess({ blocks }) }),
    channel: "http",
    ...defined({ target }),
  });

const sendTyped = (actor: string, blocks: Message["blocks"], target?: string) =>
  sendMessages(env, home.as(actor), {
    messages: [{ blocks }],
    channel: "http",
    ...defined({ target }),
  });

/** Creates a thread and answers it; returns its file without refs and times. */
async function writeFile(send: typeof postText): Promise<string> {
  const request = { type: "request", body: { intent: "look into the box" } } as const;
  const posted = await send("scout", [request]);
  const [entry] = posted.ok ? posted.value.entries : [];
  const ref = entry && "ack" in entry ? (entry.ack["ref"] as string) : "";
  for (const blocks of MESSAGES) expect((await send("ann", blocks, ref)).ok).toBe(true);
  const view = await readThread(env, home.as("scout"), ref);
  if (!view.ok) throw new Error(view.error.message);
  return writeThreadYaml(view.value)
    .replaceAll(ref, "REF")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "TIME");
}

it("a thread of typed messages is exported with the same bytes as one of texts", async () => {
  const ofTexts = await writeFile(postText);

  const ofTypedMessages = await writeFile(sendTyped);

  expect(ofTypedMessages).toBe(ofTexts);
  expect(ofTexts).toContain("two lines:");
  expect((await env.BLOBS.list({ prefix: home.id })).objects.length).toBe(2);
});

it("a refused typed message is reported with its path and leaves no data behind", async () => {
  const countBlobs = async () => (await env.BLOBS.list({ prefix: home.id })).objects.length;
  const before = await countBlobs();

  const refused = await sendMessages(env, home.as("ann"), {
    messages: [
      {
        re: "last",
        blocks: [
          { type: "response", body: { content: [{ image: PHOTO }] } },
          { type: "status", body: { code: "flying" } },
        ],
      },
    ],
    channel: "mcp",
  });

  expect(refused).toMatchObject({
    ok: false,
    error: { code: "bad_field", path: "MESS[1].status.code" },
  });
  expect(await countBlobs()).toBe(before);
});
