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
const HELD_BY_OTHER: RequestorReplyContext = { ...FREE, status: "claimed", executor: "ann" };
const REQUESTOR = { owner: false };
const PHOTO = { kind: "image", token: "upload-1" } as const;

/** The blocks as a `MESS:` list. */
const interpret = (reply: ChatReply, context: RequestorReplyContext) =>
  buildRequestorBlocks(reply, context).map(({ type, body }) => ({ [type]: body }));

const interpretText = (
  text: string,
  context: RequestorReplyContext,
  more: Partial<ChatReply> = {},
) => interpret({ action: "message", text, files: [], ...more }, context);
const buildStatus = (code: string) => [{ status: { code } }];
const buildFollowup = (message: string) => [{ followup: { message } }];

describe("an owner's reply about a thread that another member should answer", () => {
  it.each([
    ["1", FREE, buildStatus("claimed")],
    ["yes", FREE, buildStatus("claimed")],
    ["Bende", FREE, buildStatus("claimed")],
    ["0", FREE, buildStatus("declined")],
    ["done", FREE, buildStatus("completed")],
    ["it is", FREE, buildFollowup("it is")],
    ["is it urgent?", FREE, buildFollowup("is it urgent?")],
    ["1", HELD_BY_OTHER, buildStatus("claimed")],
    ["no", HELD_BY_OTHER, buildFollowup("no")],
    ["and the back door", HELD_BY_OTHER, buildFollowup("and the back door")],
    ["", FREE, []],
  ])("an owner's reply %s becomes the right message", (text, context, blocks) => {
    expect(interpretText(text, context)).toEqual(blocks);
  });

  it.each(["call off", "Call it off!", "cancel", "absagen", "cancélalo", "annuler", "iptal et"])(
    "the reply %s of an owner or a requestor cancels the thread",
    (text) => {
      for (const context of [FREE, HELD_BY_OTHER, { ...FREE, ...REQUESTOR }])
        expect(interpretText(text, context)).toEqual([{ cancel: {} }]);
    },
  );

  it("an owner's button includes its reason, and a photo is passed on", () => {
    expect(interpret({ action: "cancel", text: "found them", files: [] }, FREE)).toEqual([
      { cancel: { reason: "found them" } },
    ]);
    expect(interpret({ action: "claimed", files: [] }, FREE)).toEqual(buildStatus("claimed"));
    expect(interpretText("cancel", FREE, { files: [PHOTO] })).toEqual([
      { followup: { message: "cancel", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });
});

describe("a reply to a question for the requestor", () => {
  const ASKS_QUESTION: RequestorReplyContext = {
    ...HELD_BY_OTHER,
    status: "needs_input",
    questions: 1,
  };
  const TO_CONFIRM: RequestorReplyContext = { ...HELD_BY_OTHER, status: "needs_confirmation" };

  it("a requestor's text and photos answer the one open question", () => {
    for (const context of [ASKS_QUESTION, { ...ASKS_QUESTION, ...REQUESTOR }])
      expect(interpretText("the kitchen", context)).toEqual([
        { reply: { answers: "the kitchen" } },
      ]);
    expect(interpretText("1", ASKS_QUESTION)).toEqual([{ reply: { answers: "1" } }]);
    expect(interpretText("this one", ASKS_QUESTION, { files: [PHOTO] })).toEqual([
      { reply: { answers: "this one", context: [{ image: { file: "upload-1" } }] } },
    ]);
  });

  it("a requestor's text is not an answer if several questions are open", () => {
    expect(interpretText("the kitchen", { ...ASKS_QUESTION, questions: 2 })).toEqual(
      buildFollowup("the kitchen"),
    );
  });

  it("a requestor confirms by yes, and refuses by no", () => {
    expect(interpretText("Ja!", TO_CONFIRM)).toEqual([{ reply: { confirm: true } }]);
    expect(interpretText("nein", TO_CONFIRM)).toEqual([{ reply: { confirm: false } }]);
    expect(interpretText("how dear is it?", TO_CONFIRM)).toEqual(buildFollowup("how dear is it?"));
  });

  it("a requestor who is not an owner cannot claim with a keyword", () => {
    expect(interpretText("1", { ...FREE, ...REQUESTOR })).toEqual(buildFollowup("1"));
  });
});
