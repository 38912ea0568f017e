import { describe, expect, it } from "vitest";
import {
  buildRequestorBlocks,
  type RequestorReplyContext,
} from "../../../../src/channels/replies/interpret-requestor-reply.ts";
import type { ChatReply } from "../../../../src/channels/replies/interpret-reply.ts";

const FREE: RequestorReplyContext = {
  actor: "olga",
  status: "pending",
  executor: null,
  intent: "is the door locked?",
  owner: true,
  questions: 0,
};
const TAKEN: RequestorReplyContext = { ...FREE, status: "claimed", executor: "ann" };
const REQUESTOR = { owner: false };
const PHOTO = { kind: "image", token: "upload-1" } as const;

const say = (text: string, standing: RequestorReplyContext, more: Partial<ChatReply> = {}) =>
  buildRequestorBlocks({ action: "message", text, files: [], ...more }, standing);
const status = (code: string) => [{ status: { code } }];
const followup = (message: string) => [{ followup: { message } }];

describe("what an owner says of a thread that is another's to answer", () => {
  it.each([
    ["1", FREE, status("claimed")],
    ["yes", FREE, status("claimed")],
    ["Bende", FREE, status("claimed")],
    ["0", FREE, status("declined")],
    ["done", FREE, status("completed")],
    ["it is", FREE, followup("it is")],
    ["is it urgent?", FREE, followup("is it urgent?")],
    ["1", TAKEN, status("claimed")],
    ["no", TAKEN, followup("no")],
    ["and the back door", TAKEN, followup("and the back door")],
    ["", FREE, []],
  ])("%s", (text, standing, blocks) => {
    expect(say(text, standing)).toEqual(blocks);
  });

  it.each(["call off", "Call it off!", "cancel", "absagen", "cancélalo", "annuler", "iptal et"])(
    "%s calls it off",
    (text) => {
      for (const standing of [FREE, TAKEN, { ...FREE, ...REQUESTOR }])
        expect(say(text, standing)).toEqual([{ cancel: {} }]);
    },
  );

  it("is a tap with its reason, or a photo that is passed on", () => {
    expect(buildRequestorBlocks({ action: "cancel", text: "found them", files: [] }, FREE)).toEqual(
      [{ cancel: { reason: "found them" } }],
    );
    expect(buildRequestorBlocks({ action: "claimed", files: [] }, FREE)).toEqual(status("claimed"));
    expect(say("cancel", FREE, { files: [PHOTO] })).toEqual([
      { followup: { message: "cancel", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });
});

describe("what is asked of those who asked", () => {
  const ASKED: RequestorReplyContext = { ...TAKEN, status: "needs_input", questions: 1 };
  const TO_CONFIRM: RequestorReplyContext = { ...TAKEN, status: "needs_confirmation" };

  it("is answered by their words, and by photos with them", () => {
    for (const standing of [ASKED, { ...ASKED, ...REQUESTOR }])
      expect(say("the kitchen", standing)).toEqual([{ reply: { answers: "the kitchen" } }]);
    expect(say("1", ASKED)).toEqual([{ reply: { answers: "1" } }]);
    expect(say("this one", ASKED, { files: [PHOTO] })).toEqual([
      { reply: { answers: "this one", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });

  it("is not answered by one text where several questions are open", () => {
    expect(say("the kitchen", { ...ASKED, questions: 2 })).toEqual(followup("the kitchen"));
  });

  it("is confirmed by yes, and not by no", () => {
    expect(say("Ja!", TO_CONFIRM)).toEqual([{ reply: { confirm: true } }]);
    expect(say("nein", TO_CONFIRM)).toEqual([{ reply: { confirm: false } }]);
    expect(say("how dear is it?", TO_CONFIRM)).toEqual(followup("how dear is it?"));
  });

  it("is nothing that a requestor could take, who is no owner", () => {
    expect(say("1", { ...FREE, ...REQUESTOR })).toEqual(followup("1"));
  });
});
