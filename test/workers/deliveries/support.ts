/** Deliveries with a recording channel in place of every real one: sent notices and simulated results. */
import { defined } from "../../../src/mess/defined.ts";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";
import type {
  ChannelFeatures,
  Channel,
  ChannelKind,
  Notice,
  SendResult,
} from "../../../src/channels/channel.ts";
import { CHANNELS } from "../../../src/channels/registry.ts";
import { formatEvent } from "../../../src/delivery/message-excerpts.ts";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import {
  expectOkJson,
  createFreshHousehold,
  householdIds,
  type TestHousehold,
} from "../support.ts";
import { createThreadTables } from "../../../src/thread/migrations.ts";

/** Ahead of the real clock, so that alarms do not fire on their own. */
export const START = new Date("2051-03-04T10:00:00Z").getTime();
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export interface RecordedNotice {
  channel: ChannelKind;
  /** The handle of the message that is edited. */
  edited?: string;
  notice: Notice;
  /** The thread as a file, for a new message. */
  file?: string;
  /** Milliseconds since the start. */
  at: number;
}

type Answer = (recorded: RecordedNotice) => SendResult | Promise<SendResult>;

/** The features of each channel: a phone, a phone with edits, a machine. */
const FEATURES: Partial<Record<ChannelKind, ChannelFeatures>> = {
  ntfy: { edits: false, updates: false, buttons: false },
  discord: { edits: true, updates: false, buttons: true },
  webhook: { edits: false, updates: true, buttons: false },
  sms: { edits: false, updates: false, buttons: false },
};

/** Replaces the channels for the rest of its test file. */
export class NoticeRecorder {
  readonly notices: RecordedNotice[] = [];
  /** Households of earlier test files, whose objects may still be at work. */
  readonly #earlierHouseholds = new Set(householdIds);
  #handles = 0;
  #answer: Answer = () => this.accept();

  constructor() {
    const originals = { ...CHANNELS };
    afterAll(() => void Object.assign(CHANNELS, originals));
    for (const [kind, carries] of Object.entries(FEATURES) as [ChannelKind, ChannelFeatures][]) {
      const real = CHANNELS[kind];
      const double: Channel = {
        ...real,
        features: carries,
        send: async (_sender, _address, notice) =>
          await this.#take({
            channel: kind,
            notice,
            file: await notice.buildFile(),
            at: getElapsedMs(),
          }),
        update: (_sender, _address, edited, notice) =>
          this.#take({ channel: kind, edited, notice, at: getElapsedMs() }),
      };
      (CHANNELS as Record<ChannelKind, Channel>)[kind] = double;
    }
  }

  async #take(recorded: RecordedNotice): Promise<SendResult> {
    if (this.#earlierHouseholds.has(recorded.notice.household)) return this.accept();
    this.notices.push(recorded);
    return await this.#answer(recorded);
  }

  accept(): SendResult {
    return { ok: true, handle: `m${++this.#handles}` };
  }

  /** The result of all further sends; undefined accepts all. */
  setAnswer(answer?: Answer): void {
    this.#answer = (recorded) => answer?.(recorded) ?? this.accept();
  }

  setFailure(channel: ChannelKind, more: object = {}): void {
    this.setAnswer((recorded) =>
      recorded.channel === channel ? { ok: false, reason: "out of order", ...more } : this.accept(),
    );
  }

  /** Forgets sent notices, and accepts all further ones. */
  clear(): void {
    this.notices.length = 0;
    this.#handles = 0;
    this.setAnswer();
  }

  /** `offer ann ntfy` for each notice, in order. */
  get labels(): string[] {
    return this.notices.map(
      ({ channel, notice: { kind, executor } }) => `${kind} ${executor} ${channel}`,
    );
  }

  async until(count: number): Promise<void> {
    await vi.waitFor(
      () => {
        if (this.notices.length < count) throw new Error(`${this.notices.length} notices so far`);
      },
      { timeout: 5_000, interval: 5 },
    );
  }
}

type Stored = { [column: string]: SqlStorageValue; happening: string | null };

const getElapsedMs = (): number => Date.now() - START;

/** Display names of members that have one. */
const NAMES = { ann: "Ann" };

/** The line of a notice about an event, in the exchange's wording. */
export const formatEventText = (what: string, by?: string, text?: string): string =>
  formatEvent({ what, ...defined({ by, text }) }, NAMES);

/** Addresses for the recorded channels. */
export const NOTIFY_CHANNELS = {
  phone: { ntfy: "topic" },
  chat: { discord: "https://discord.com/api/webhooks/1/x" },
  machine: { webhook: "https://robot.example.com/hook" },
};

export interface DeliveryHousehold extends TestHousehold {
  /** Advances the clock by the time and runs the thread's alarms that are due by then. */
  pass: (ref: string, milliseconds: number) => Promise<void>;
  deliveries: (ref: string) => Promise<Delivery[]>;
  notes: (ref: string, action: string) => Promise<string[]>;
}

/** Advances the clock by the time and runs the thread's alarms that are due by then. */
export const passTime = (household: string, ref: string, milliseconds: number): Promise<void> =>
  passAlarms(env.THREADS.getByName(`${household}/${ref}`), milliseconds);

/** The same for the alarms of the household. */
export const passHousehold = (household: string, milliseconds: number): Promise<void> =>
  passAlarms(env.HOUSEHOLDS.getByName(household), milliseconds);

async function passAlarms(
  object: Parameters<typeof runDurableObjectAlarm>[0],
  milliseconds: number,
): Promise<void> {
  const alarmOf = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
  const end = Date.now() + milliseconds;
  for (let alarm = await alarmOf(); alarm !== null && alarm <= end;) {
    vi.setSystemTime(Math.max(alarm, Date.now()));
    await runDurableObjectAlarm(object);
    const next = await alarmOf();
    if (next !== null && next <= alarm && next <= Date.now()) vi.setSystemTime(Date.now() + 1);
    alarm = next;
  }
  vi.setSystemTime(end);
}

/** Ann has a chat, Ben a phone, Robo a webhook, and the owner a phone, by default. */
export async function createDeliveryHousehold(
  notify: { ann?: object; ben?: object; robo?: object; alerts?: object } = {},
): Promise<DeliveryHousehold> {
  vi.setSystemTime(START);
  const home = await createFreshHousehold();
  await expectOkJson(
    await home.owner.postBlocks(
      {
        config: {
          executor: {
            id: "ann",
            name: "Ann",
            capabilities: ["look"],
            notify: notify.ann ?? NOTIFY_CHANNELS.chat,
          },
        },
      },
      {
        config: {
          executor: {
            id: "ben",
            capabilities: ["carry"],
            notify: notify.ben ?? NOTIFY_CHANNELS.phone,
          },
        },
      },
      {
        config: {
          executor: {
            id: "robo",
            kind: "machine",
            capabilities: ["vacuum"],
            notify: notify.robo ?? NOTIFY_CHANNELS.machine,
          },
        },
      },
      { config: { dispatch: { alerts: notify.alerts ?? { ntfy: "owners" } } } },
    ),
  );
  const getObject = (ref: string) => env.THREADS.getByName(`${home.id}/${ref}`);
  return {
    ...home,
    pass: (ref, milliseconds) => passTime(home.id, ref, milliseconds),
    deliveries: async (ref) => {
      const rows = await runInDurableObject(getObject(ref), (_, { storage }) =>
        createThreadTables(storage.sql).run<Stored>(
          "deliveries",
          "SELECT * FROM deliveries ORDER BY n",
        ),
      );
      return rows.map((row) => ({
        ...row,
        event: JSON.parse(row.happening ?? "null"),
      })) as unknown as Delivery[];
    },
    async notes(ref, action) {
      const { envelope } = await home.agent.read(`/mess/${ref}`);
      return envelope.history
        .filter((row: { action: string }) => row.action === action)
        .map(({ note }: { note: string }) => note);
    },
  };
}
