/** The contract of every kind of message source: in, out, files, repeated deliveries, failures and settings. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { findSourceKind, OFFERED_SOURCE_KINDS } from "../../../src/source-kinds/registry.ts";
import { createLocalSource, LOCAL_PROVIDERS } from "./local-sources.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const DELIVERY = { id: "msg-1", subject: "Water in the cellar", text: "It is two inches deep." };
const FILE = {
  name: "cellar.txt",
  mime: "text/plain",
  bytes: new TextEncoder().encode("a plan of the cellar"),
};

const ANSWERED = {
  external_id: "<msg-1@elsewhere.example>",
  references: [],
  subject: DELIVERY.subject,
  channel: "ann@elsewhere.example",
  headers: [],
};

/** Starts to record the log, and returns a function that reads it. */
function recordLog(): () => string {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map(String).join(" "));
    });
  return () => lines.join("\n");
}

/** Requests of the household come from no provider: `sources/chats/request-source.test.ts`. */
const KINDS_WITH_PROVIDER = OFFERED_SOURCE_KINDS.filter((kind) => kind !== "mess");

it("every kind of message source is tested with a stand-in for its provider", () => {
  expect(Object.keys(LOCAL_PROVIDERS).toSorted()).toEqual(KINDS_WITH_PROVIDER.toSorted());
});

describe.each(KINDS_WITH_PROVIDER)("a source of the kind %s", (kind) => {
  it(`a message by ${kind} is stored with its texts, its time and its raw bytes`, async () => {
    const source = await createLocalSource(kind);
    const before = Date.now();

    expect(await source.deliver(DELIVERY)).toBe(true);

    const message = await source.readOnly();
    expect(message).toMatchObject({
      source: source.name,
      kind,
      ...(source.provider.hasSubject === false ? {} : { subject: DELIVERY.subject }),
      // The watcher may have classified it by now.
      status: expect.stringMatching(/^(?:new|classified)$/),
      seen: false,
      has_raw: true,
    });
    expect(message.sender).not.toBe("");
    expect(message.body).toContain(DELIVERY.text);
    expect(message.channel).not.toBe("");
    expect(Date.parse(message.received)).toBeGreaterThanOrEqual(before - 1_000);
    const raw = new TextDecoder().decode(await source.readBytes(message.id, "raw"));
    if (source.provider.hasPlainRaw !== false) expect(raw).toContain(DELIVERY.subject);
    else expect(new URLSearchParams(raw).get("Body")).toContain(DELIVERY.subject);
  });

  it(`a message by ${kind} that is delivered again is stored once`, async () => {
    const source = await createLocalSource(kind);
    await source.deliver(DELIVERY);
    const blobs = await source.countBlobs();

    const answers = await Promise.all([source.deliver(DELIVERY), source.deliver(DELIVERY)]);

    expect(answers).toEqual([true, true]);
    expect(await source.list()).toHaveLength(1);
    await vi.waitFor(async () => expect(await source.countBlobs()).toBe(blobs));
    await source.deliver({ ...DELIVERY, id: "msg-2" });
    expect(await source.list()).toHaveLength(2);
  });

  it(`the files of a message by ${kind} are kept byte by byte`, async () => {
    const source = await createLocalSource(kind);
    await source.deliver({ ...DELIVERY, file: FILE });

    const message = await source.readOnly();

    if (!source.provider.hasFiles) {
      expect(message.attachments).toEqual([]);
      return;
    }
    expect(message.attachments).toMatchObject([
      { index: 0, name: FILE.name, mime: FILE.mime, size: FILE.bytes.byteLength },
    ]);
    expect(await source.readBytes(message.id, 0)).toEqual(FILE.bytes);
  });

  it(`a disconnected source of the kind ${kind} refuses messages and stores nothing`, async () => {
    const source = await createLocalSource(kind);
    await source.disconnect();

    // The webhook of a channel takes the message, which is handled as without the source.
    const isTaken = source.provider.dispatch !== undefined;
    expect(await source.deliver(DELIVERY)).toBe(isTaken);

    expect(await source.list()).toEqual([]);
    expect(await source.countBlobs()).toBe(0);
  });

  it(`settings of ${kind} that are not valid are refused with their path, and without a secret`, async () => {
    const source = await createLocalSource(kind);
    const { settings, path } = source.provider.invalid;

    const response = await source.configure(settings);

    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain(`config.sources.${source.name}.${path}`);
    for (const secret of source.provider.secrets) expect(text).not.toContain(secret);
  });

  it(`${kind} sends an answer with its files, or says why it cannot send`, async () => {
    const source = await createLocalSource(kind);
    const { listSent } = source.provider;
    if (!listSent) {
      expect(findSourceKind(kind)!.explainCannotSend(source.provider.settings)).toMatch(
        /\w+ .+\.$/,
      );
      return;
    }

    if (source.provider.sendsFiles === false) {
      const withFile = await source.send({ attachments: [FILE] });
      const text = await source.send();
      expect(withFile).toMatchObject({ ok: false, isPermanent: true });
      expect(text).toMatchObject({ ok: true, external_id: expect.stringMatching(/./) });
      expect(await listSent()).toEqual([{ text: "Tuesday suits us.", files: [] }]);
      return;
    }

    const sent = await source.send({ answers: ANSWERED, attachments: [FILE] });

    expect(sent).toMatchObject({ ok: true, external_id: expect.stringMatching(/./) });
    expect(await listSent()).toMatchObject([
      { text: "Tuesday suits us.", files: [{ name: FILE.name, bytes: FILE.bytes }] },
    ]);
  });
});

const SENDING_KINDS = KINDS_WITH_PROVIDER.filter(
  (kind) => findSourceKind(kind)?.send !== undefined,
);

describe.each(SENDING_KINDS)("failures of sending by %s", (kind) => {
  const expectNoSecret = (secrets: readonly string[], text: string): void => {
    for (const secret of secrets) expect(text).not.toContain(secret);
  };

  it(`a provider of ${kind} that throttles is asked again after its time`, async () => {
    const source = await createLocalSource(kind);
    const readLog = recordLog();
    const seconds = await source.provider.throttle!();

    const sent = await source.send();

    expect(sent).toEqual({ ok: false, reason: expect.any(String), retryAfterSeconds: seconds });
    expectNoSecret(source.provider.secrets, JSON.stringify(sent) + readLog());
  });

  it(`a message that the provider of ${kind} refuses for good is not sent again`, async () => {
    const source = await createLocalSource(kind);
    const readLog = recordLog();
    await source.provider.refuse!();

    const sent = await source.send();

    expect(sent).toEqual({ ok: false, reason: expect.any(String), isPermanent: true });
    expectNoSecret(source.provider.secrets, JSON.stringify(sent) + readLog());
    expect(await source.provider.listSent!()).toEqual([]);
  });

  it(`a connection to the provider of ${kind} that breaks never makes it count a message twice unnoticed`, async () => {
    const source = await createLocalSource(kind);
    const readLog = recordLog();
    const { knowsRepeated, breakConnection, listSent } = source.provider;
    await breakConnection!();

    const sent = await source.send();

    expect(sent).toEqual({
      ok: false,
      reason: expect.any(String),
      ...(knowsRepeated ? {} : { mayBeSent: true }),
    });
    expectNoSecret(source.provider.secrets, JSON.stringify(sent) + readLog());
    if (knowsRepeated) await source.send();
    expect(await listSent!()).toHaveLength(1);
  });
});
