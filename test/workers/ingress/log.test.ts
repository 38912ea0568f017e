import { afterEach, expect, it, vi } from "vitest";
import { waitUntil } from "../support.ts";
import { ANN, createSlackHousehold } from "./chats/slack-household.ts";
import { createTelegramHousehold } from "./chats/telegram-household.ts";

const WORDS = "the key is under the third flowerpot";
const photo = { name: "x.png", type: "image/png", bytes: new Uint8Array(99) };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Starts to record the log, and returns a function that reads it. */
function listen(): () => string {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map(String).join(" "));
    });
  return () => lines.join("\n");
}

it("the log contains no token, no secret and no text of a conversation in Slack", async () => {
  const logged = listen();
  const { workspace, askLook, write } = await createSlackHousehold();
  const { message } = await askLook("look for the keys");

  await write({ to: message, text: WORDS });
  await write({ user: "U04EVIL", text: WORDS });
  await write({ to: message, text: WORDS, secret: "another" });
  workspace.fail({ status: 503 }, "broken");
  await write({ to: message, text: WORDS, files: [photo] });
  await write({ to: message, text: WORDS, files: [photo] });
  workspace.act.revoke();
  await write({ to: message, text: WORDS, files: [photo] });
  await workspace.act.tap(message, "declined", { user: ANN });

  await waitUntil(async () => expect(logged()).toContain("not_heard"));
  const { bot_token, signing_secret } = workspace.settings();
  for (const secret of [bot_token, signing_secret, WORDS, "flowerpot"])
    expect(logged()).not.toContain(secret);
});

it("the log contains no token, no secret and no text of a conversation in Telegram", async () => {
  const logged = listen();
  const { server, askLook, write } = await createTelegramHousehold();
  const { message } = await askLook("look for the keys");
  const file = { kind: "document", bytes: photo.bytes } as const;

  await write({ to: message, text: WORDS });
  await write({ chat: 6_666, text: WORDS });
  await write({ text: WORDS, secret: "another" });
  server.fail({ status: 502 }, "broken");
  await write({ to: message, text: WORDS, file });
  await write({ to: message, text: WORDS, file });
  server.act.revoke();
  await write({ to: message, text: WORDS, file });
  await server.act.tap(message, "declined", { data: "d:" });

  await waitUntil(async () => expect(logged()).toContain("not_heard"));
  for (const secret of [server.token, server.webhook.secret, WORDS, "flowerpot"])
    expect(logged()).not.toContain(secret);
});
