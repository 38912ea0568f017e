/** Tests how every channel handles the events that it receives: genuine, repeated and forged ones. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { CHANNEL_KINDS, CHANNELS } from "../../../src/channels/registry.ts";
import { PNG } from "../../support/media/png.ts";
import type { Answered } from "../support.ts";
import { RECEIVING_CHANNELS, type ReceivingChannel } from "./receiving-channels.ts";

afterEach(() => vi.unstubAllGlobals());

const KINDS = Object.keys(RECEIVING_CHANNELS) as (keyof typeof RECEIVING_CHANNELS)[];

const readThread = ({ agent, ref }: ReceivingChannel): Promise<Answered> =>
  agent.read(`/mess/${ref}`);

/** The messages that the member sent by the channel, in order. */
const listMessages = async (place: ReceivingChannel, channel: string): Promise<Answered[]> =>
  (await readThread(place)).messages.filter((one: { channel?: string }) => one.channel === channel);

const listTypes = (messages: readonly { MESS: object[] }[]): string[] =>
  messages.flatMap(({ MESS }) => MESS.flatMap((block) => Object.keys(block)));

it("the contract tests for receiving cover every channel that identifies senders", () => {
  const receiving = CHANNEL_KINDS.filter((kind) => CHANNELS[kind].identity !== undefined);

  expect(KINDS).toEqual(expect.arrayContaining(receiving));
});

describe.each(KINDS)("events of %s", (channel) => {
  const { begin, forgeries } = RECEIVING_CHANNELS[channel];

  it(`an answer by ${channel} is stored as a message of the member`, async () => {
    const place = await begin();

    expect(await place.send({ what: "answer", text: "behind the <green> door" })).toBe(true);

    const [message] = await listMessages(place, channel);
    expect(message).toMatchObject({ from: "ann", channel });
    expect(JSON.stringify(message.MESS)).toContain("behind the <green> door");
    expect((await readThread(place)).envelope.executor).toBe("ann");
  });

  it(`a photo by ${channel} is stored as an attachment of the answer`, async () => {
    const place = await begin();

    expect(await place.send({ what: "answer", photo: true })).toBe(true);

    const { attachments } = await readThread(place);
    expect(attachments).toHaveLength(1);
    const served = await place.agent.fetch(attachments[0].url);
    expect(served.headers.get("Content-Type")).toBe("image/png");
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
    const [message] = await listMessages(place, channel);
    expect(JSON.stringify(message.MESS)).toContain("under the sofa");
  });

  it(`repeated and late events of ${channel} are processed once`, async () => {
    const place = await begin();
    const claim = { what: "claim", number: 1 } as const;
    const answer = { what: "answer", number: 2, photo: true } as const;
    const complete = { what: "complete", number: 3 } as const;

    await place.send(claim);
    await Promise.all([place.send(answer), place.send(answer), place.send(answer)]);
    await place.send(claim);
    await place.send(answer);
    await place.send(complete);
    await Promise.all([place.send(complete), place.send(claim), place.send(answer)]);

    const messages = await listMessages(place, channel);
    expect(listTypes(messages)).toEqual(["status", "response", "status"]);
    const { envelope, attachments } = await readThread(place);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(attachments).toHaveLength(1);
  });

  it.each(forgeries)(
    `a forged event of ${channel} is refused and changes nothing: %s`,
    async (forgery) => {
      const place = await begin();

      expect(await place.forge(forgery)).toBe(false);

      expect(await listMessages(place, channel)).toEqual([]);
      expect((await readThread(place)).envelope).toMatchObject({
        status: "pending",
        executor: null,
      });
    },
  );
});
