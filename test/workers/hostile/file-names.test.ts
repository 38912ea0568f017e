import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../support/media/png.ts";
import { createTwilio } from "../../support/channels/twilio.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { createMailHousehold } from "../ingress/email/mail-household.ts";
import { createSlackHousehold } from "../ingress/chats/slack-household.ts";
import { createTelegramHousehold } from "../ingress/chats/telegram-household.ts";
import { createMopTask, createRobotHousehold } from "../robots/support.ts";
import {
  type Answered,
  type Caller,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  sendRequest,
} from "../support.ts";
import { expectSoon } from "./support.ts";
import { createThreadTables } from "../../../src/thread/migrations.ts";
import { ThreadLog } from "../../../src/thread/thread-log.ts";
import type { Attachment } from "../../../src/mess/envelope.ts";

/** Long runs of characters that are trimmed off a file name, each before one that is not. */
const RUNS = `a${"-".repeat(40_000)}b${". ".repeat(10_000)}c`;
const LONG = `${RUNS}.png`;
/** An event of a chat with a longer name is refused. */
const LONG_IN_CHATS = `a${"-".repeat(3_000)}c.png`;
const MAX_CHARACTERS = 255;

/** The thread's only attachment, as listed and as served. */
async function readOnlyAttachment(reader: Caller, ref: string) {
  const { attachments } = await reader.read(`/mess/${ref}`);
  expect(attachments).toHaveLength(1);
  const [attachment] = attachments as { original: string; url: string }[];
  const response = await expectSoon(reader.fetch(attachment!.url));
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  const disposition = response.headers.get("Content-Disposition")!;
  return { original: attachment!.original, disposition };
}

async function expectCut(reader: Caller, ref: string, extension = ".png"): Promise<void> {
  const { original, disposition } = await readOnlyAttachment(reader, ref);
  expect(original).toHaveLength(MAX_CHARACTERS);
  expect(original.startsWith("a---") || original.startsWith("image-")).toBe(true);
  expect(original.endsWith(extension)).toBe(true);
  expect(disposition.length).toBeLessThan(1_000);
}

async function createThreadFor() {
  const household = await createFreshHousehold();
  const ref = await household.agent.createThread("photograph the shelf", {
    requires: ["take-photo"],
  });
  return { ...household, ref };
}

/** Uploads the file of a form and returns the response. */
async function uploadByForm(ann: Caller, ref: string, name: string): Promise<Answered> {
  const form = new FormData();
  form.append("file", new File([PNG], name, { type: "image/png" }));
  const uploaded = await expectOkJson(
    await expectSoon(ann.fetch(`/mess/${ref}/attachments`, { method: "POST", body: form })),
  );
  await expectSoon(
    ann.appendBlocks(ref, { response: { content: [{ image: { file: uploaded.file } }] } }),
  );
  return uploaded;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("long file names of new files", () => {
  it("a long file name in an upload by a form is truncated to 255 characters with its extension", async () => {
    const { ann, agent, ref } = await createThreadFor();

    const uploaded = await uploadByForm(ann, ref, LONG);

    expect(uploaded.name).toHaveLength(MAX_CHARACTERS);
    await expectCut(agent, ref);
  });

  it("a long file name of a data URI is truncated", async () => {
    const { ann, agent, ref } = await createThreadFor();
    const uri = `data:image/png;base64,${btoa("\x89PNG\r\n\x1a\n".padEnd(6_000, "p"))}`;

    await expectSoon(
      ann.appendBlocks(ref, { response: { content: [{ image: { uri, name: LONG } }] } }),
    );

    await expectCut(agent, ref);
  });

  it("a long file name of a Telegram document is truncated", async () => {
    const { agent, askLook, write } = await createTelegramHousehold();
    const { ref, message } = await askLook("look for the keys");

    const file = { kind: "document", bytes: PNG, name: LONG_IN_CHATS, type: "image/png" } as const;
    await expectSoon(write({ to: message, text: "see", file }));

    await expectCut(agent, ref);
  });

  it("a long file name of a Slack file is truncated", async () => {
    const { agent, askLook, write } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");

    const file = { name: LONG_IN_CHATS, type: "image/png", bytes: PNG };
    await expectSoon(write({ to: message, text: "see", files: [file] }));

    await expectCut(agent, ref);
  });

  it("a long file name of an email attachment is truncated", async () => {
    const { agent, ref, answer } = await createMailHousehold();

    const file = { name: LONG, type: "image/png", bytes: PNG };
    await expectSoon(answer({ text: "here", files: [file] }));

    await expectCut(agent, ref);
  });

  it("a file name with a long extension from Twilio's MIME type is truncated", async () => {
    const household = await createFreshHousehold();
    const phones = createTwilio({
      hook: `${ORIGIN}/hooks/twilio/${household.id}`,
      deliver: async (request) => await sendRequest(request.url.slice(ORIGIN.length), request),
    });
    reachOutside({ "https://api.twilio.com": phones.handle });
    const { api: _, ...sms } = phones.settings();
    const notify = { sms: "+15005550101" };
    await expectOkJson(
      await household.owner.postBlocks(
        { config: { dispatch: { sms } } },
        { config: { executor: { id: "ann", capabilities: ["look"], notify } } },
      ),
    );
    const ref = await household.agent.createThread("look for the keys", { requires: ["look"] });
    const media = [{ type: `image/${RUNS}`, bytes: PNG }];

    await expectSoon(phones.act.receiveSms({ from: notify.sms, body: "see", media }));

    await expectCut(household.agent, ref, ". c");
  });

  it("a long file name in an imported thread is truncated", async () => {
    const { ann, agent, ref } = await createThreadFor();
    await uploadByForm(ann, ref, "shelf.png");
    const exported = await agent.fetch(`/mess/${ref}`, { headers: { Accept: "application/yaml" } });
    const text = await exported.text();
    expect(text).toContain("name: shelf.png");
    const { owner } = await createFreshHousehold();

    await expectOkJson(
      await expectSoon(
        owner.fetch("/mess/import", {
          method: "POST",
          body: text.replace("name: shelf.png", `name: ${JSON.stringify(LONG)}`),
          headers: { "Content-Type": "application/yaml" },
        }),
      ),
    );

    const { messages } = await owner.read(`/mess/${ref}`);
    expect(JSON.stringify(messages).length).toBeLessThan(5_000);
  });
});

it("the file name in the address of a robot's file is truncated", async () => {
  const { agent, moppy, url } = await createRobotHousehold();
  // Addresses have at most 2,048 characters.
  const path = `/files/a${"-".repeat(1_500)}b.png`;
  moppy.files.set(path, { type: "image/png", bytes: PNG });
  const ref = await createMopTask(agent);
  const uri = `https://moppy.example.com${path}`;

  const message = { MESS: [{ response: { re: ref, content: [{ image: { uri } }] } }] };
  await expectOkJson(await expectSoon(moppy.callBack({ url, message })));

  await expectCut(agent, ref);
});

describe("long file names of stored files", () => {
  it("a stored long file name is truncated where the thread is read and where the file is served", async () => {
    const { id, ann, agent, ref } = await createThreadFor();
    await uploadByForm(ann, ref, "shelf.png");
    await runInDurableObject(env.THREADS.getByName(`${id}/${ref}`), (_, { storage }) => {
      const [row] = storage.sql
        .exec<{ files: string }>(
          "SELECT attachments AS files FROM documents WHERE attachments > ''",
        )
        .toArray();
      const [file] = JSON.parse(row!.files) as Attachment[];
      storage.sql.exec("UPDATE documents SET attachments = NULL");
      new ThreadLog(storage.sql, createThreadTables(storage.sql)).attachments.insert({
        ...file!,
        original: LONG,
      });
    });
    await evictDurableObject(env.THREADS.getByName(`${id}/${ref}`));

    await expectCut(agent, ref);
  });

  it("a stored long file name is truncated where a message refers to the upload", async () => {
    const { id, ann, agent, ref } = await createThreadFor();
    const body = { method: "POST", body: PNG };
    const { file } = await expectOkJson(
      await ann.fetch(`/mess/${ref}/attachments?name=a.png`, body),
    );
    await runInDurableObject(env.THREADS.getByName(`${id}/${ref}`), (_, { storage }) => {
      storage.sql.exec("UPDATE uploads SET blob = json_set(blob, '$.original', ?)", LONG);
    });

    await expectSoon(ann.appendBlocks(ref, { response: { content: [{ image: { file } }] } }));

    await expectCut(agent, ref);
    const { messages } = await agent.read(`/mess/${ref}`);
    expect(JSON.stringify(messages).length).toBeLessThan(5_000);
  });
});
