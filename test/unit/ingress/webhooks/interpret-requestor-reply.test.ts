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

describe("an owner's reply about a thread that another member should answer", () => {
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
  ])("an owner's reply %s becomes the right message", (text, standing, blocks) => {
    expect(say(text, standing)).toEqual(blocks);
  });

  it.each(["call off", "Call it off!", "cancel", "absagen", "cancélalo", "annuler", "iptal et"])(
    "the reply %s of an owner or a requestor cancels the thread",
    (text) => {
      for (const standing of [FREE, TAKEN, { ...FREE, ...REQUESTOR }])
        expect(say(text, standing)).toEqual([{ cancel: {} }]);
    },
  );

  it("an owner's button has its reason, and a photo is passed on", () => {
    expect(buildRequestorBlocks({ action: "cancel", text: "found them", files: [] }, FREE)).toEqual(
      [{ cancel: { reason: "found them" } }],
    );
    expect(buildRequestorBlocks({ action: "claimed", files: [] }, FREE)).toEqual(status("claimed"));
    expect(say("cancel", FREE, { files: [PHOTO] })).toEqual([
      { followup: { message: "cancel", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });
});

describe("a reply to what the requestor is asked", () => {
  const ASKED: RequestorReplyContext = { ...TAKEN, status: "needs_input", questions: 1 };
  const TO_CONFIRM: RequestorReplyContext = { ...TAKEN, status: "needs_confirmation" };

  it("a requestor's text and photos answer the one open question", () => {
    for (const standing of [ASKED, { ...ASKED, ...REQUESTOR }])
      expect(say("the kitchen", standing)).toEqual([{ reply: { answers: "the kitchen" } }]);
    expect(say("1", ASKED)).toEqual([{ reply: { answers: "1" } }]);
    expect(say("this one", ASKED, { files: [PHOTO] })).toEqual([
      { reply: { answers: "this one", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });

  it("a requestor's text answers nothing where several questions are open", () => {
    expect(say("the kitchen", { ...ASKED, questions: 2 })).toEqual(followup("the kitchen"));
  });

  it("a requestor confirms by yes, and refuses by no", () => {
    expect(say("Ja!", TO_CONFIRM)).toEqual([{ reply: { confirm: true } }]);
    expect(say("nein", TO_CONFIRM)).toEqual([{ reply: { confirm: false } }]);
    expect(say("how dear is it?", TO_CONFIRM)).toEqual(followup("how dear is it?"));
  });

  it("a requestor who is no owner cannot claim by a short word", () => {
    expect(say("1", { ...FREE, ...REQUESTOR })).toEqual(followup("1"));
  });
});
