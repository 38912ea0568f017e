import { describe, expect, it } from "vitest";
import type { ChatAction } from "../../../../src/channels/chat-event.ts";
import {
  buildReplyBlocks,
  type ChatReply,
  type ReplyContext,
} from "../../../../src/channels/replies/interpret-reply.ts";
import { checkMessages } from "../../../../src/mess/wire/parse.ts";

const FREE: ReplyContext = {
  actor: "ann",
  status: "pending",
  executor: null,
  intent: "water the basil",
};
const HELD_BY_SENDER: ReplyContext = { ...FREE, status: "claimed", executor: "ann" };
const HELD_BY_OTHER: ReplyContext = { ...FREE, status: "claimed", executor: "ben" };
const FINISHED: ReplyContext = { ...FREE, status: "completed", executor: "ann" };
const ASKS_QUESTION: Pick<ReplyContext, "intent"> = { intent: "is the door locked?" };

/** The blocks as a `MESS:` list. */
const interpret = (reply: ChatReply, context: ReplyContext) =>
  buildReplyBlocks(reply, context).map(({ type, body }) => ({ [type]: body }));

const PHOTO = { kind: "image", token: "upload-1" } as const;

const buildReply = (text: string, more: Partial<ChatReply> = {}): ChatReply => ({
  action: "message",
  text,
  files: [],
  ...more,
});

/** The status codes and block types of the resulting message: `claimed`, `response`, `followup`. */
const interpretText = (
  text: string,
  context: ReplyContext,
  more: Partial<ChatReply> = {},
): string[] =>
  buildReplyBlocks(buildReply(text, more), context).map(({ type, body }) =>
    type === "status" ? (body.code as string) : type,
  );

describe("a button in a chat", () => {
  const press = (act: ChatAction, more: Partial<ChatReply> = {}) =>
    interpret({ action: act, files: [], ...more }, FREE);

  it("a button in a chat reports its status", () => {
    expect(press("claimed")).toEqual([{ status: { code: "claimed" } }]);
    expect(press("declined")).toEqual([{ status: { code: "declined" } }]);
    expect(press("completed")).toEqual([{ status: { code: "completed" } }]);
  });

  it("a button in a chat carries text: a reason, or the answer before the end", () => {
    expect(press("declined", { text: "on holiday" })).toEqual([
      { status: { code: "declined", reason: "on holiday" } },
    ]);
    expect(press("completed", { text: "12 eggs", files: [PHOTO] })).toEqual([
      { response: { content: [{ text: "12 eggs" }, { image: { file: "upload-1" } }] } },
      { status: { code: "completed" } },
    ]);
  });
});

describe("a reply keyword in a chat", () => {
  it.each([
    "1",
    "yes",
    "Yes!",
    "OK",
    "ok.",
    "👍",
    "👍🏽",
    "on it",
    "I’ll do it",
    "Ja",
    "klar",
    "mach ich",
    "MACH ICH!",
    "sí",
    "SI",
    "vale",
    "¡Vale!",
    "oui",
    "d’accord",
    "evet",
    "Tamam",
    "TAMAM",
    "olur",
  ])("the keyword %s claims a thread without a holder", (word) => {
    expect(interpretText(word, FREE)).toEqual(["claimed"]);
  });

  it.each([
    "done",
    "Done!",
    "finished",
    "✅",
    "fertig",
    "ERLEDIGT",
    "hecho",
    "listo",
    "fait",
    "c'est fait",
    "Terminé !",
    "bitti",
    "yaptım",
    "YAPTIM",
    "tamamlandı",
  ])("the keyword %s completes a thread for every member who may complete it", (word) => {
    expect(interpretText(word, FREE)).toEqual(["completed"]);
    expect(interpretText(word, HELD_BY_SENDER)).toEqual(["completed"]);
  });

  it.each(["0", "no", "No.", "nein", "nö", "non", "hayır", "HAYIR", "no gracias"])(
    "the keyword %s declines an offer, and is passed on as text if the speaker holds the thread",
    (word) => {
      expect(interpretText(word, FREE)).toEqual(["declined"]);
      expect(interpretText(word, HELD_BY_SENDER)).toEqual(["followup"]);
    },
  );

  it.each([
    "stop",
    "STOP",
    "can't",
    "stopp",
    "kann nicht",
    "para",
    "arrête",
    "ARRÊTE !",
    "dur",
    "bırak",
  ])("the keyword %s releases the thread, before and after a claim", (word) => {
    expect(interpretText(word, FREE)).toEqual(["declined"]);
    expect(interpretText(word, HELD_BY_SENDER)).toEqual(["declined"]);
  });

  it.each([
    ["claimed", ["١", "۱", "نعم", "نَعَم", "أيوه", "ايوه", "حسنًا", "حسنا", "طيب", "موافق"]],
    ["claimed", ["sim", "Sim!", "pode deixar", "Já vou", "ja vou", "está bem"]],
    ["completed", ["تم", "تمّ", "تـــم", "أنجزت", "انجزت", "انتهى", "انتهي", "\u200Fتم.\u200F"]],
    ["completed", ["feito", "Já fiz", "CONCLUÍDO", "concluido", "terminei"]],
    ["declined", ["٠", "۰", "لا", "لأ", "لا، شكرًا", "لا أستطيع", "لا استطيع", "توقف"]],
    ["declined", ["não", "NAO", "Não, obrigada!", "não posso", "nao consigo", "desisto"]],
    ["declined", ["ألغِ الطلب", "الغ الطلب", "إلغاء", "الغاء", "desmarcar", "cancele"]],
  ])("keywords in Arabic and Portuguese mean %s, in each spelling: %j", (status, words) => {
    expect(words.map((word) => interpretText(word, FREE))).toEqual(words.map(() => [status]));
  });

  it("Arabic digits are only keywords alone, and a word of several languages is none", () => {
    for (const text of ["١٢", "٤", "نعم في المطبخ", "pronto", "خلاص"])
      expect(interpretText(text, FREE), text).toEqual(["response"]);
  });

  it("a keyword answers a request that is a question, and does not decline it", () => {
    expect(interpret(buildReply("No"), { ...FREE, ...ASKS_QUESTION })).toEqual([
      { response: { content: [{ text: "No" }] } },
    ]);
    expect(interpretText("yes", { ...FREE, ...ASKS_QUESTION })).toEqual(["response"]);
    expect(interpretText("ja", { ...HELD_BY_SENDER, ...ASKS_QUESTION })).toEqual(["response"]);
    expect(
      interpretText("1", {
        ...HELD_BY_SENDER,
        ...ASKS_QUESTION,
        intent: "how many eggs are left?",
      }),
    ).toEqual(["response"]);
  });

  it("the numbers that an SMS offers claim and decline even a request that is a question", () => {
    expect(interpretText("1", { ...FREE, ...ASKS_QUESTION })).toEqual(["claimed"]);
    expect(interpretText("0", { ...FREE, ...ASKS_QUESTION })).toEqual(["declined"]);
  });

  it("a keyword of the holder is passed on as text, and does not complete the thread", () => {
    expect(interpretText("ok", HELD_BY_SENDER)).toEqual(["followup"]);
    expect(interpretText("1", HELD_BY_SENDER)).toEqual(["followup"]);
  });

  it("a keyword that claims names the holder if another member holds the thread", () => {
    expect(interpretText("1", HELD_BY_OTHER)).toEqual(["claimed"]);
    expect(interpretText("no", HELD_BY_OTHER)).toEqual(["declined"]);
  });

  it("a keyword has no effect after the end, and done is refused with the final status", () => {
    expect(interpretText("ok", FINISHED)).toEqual(["followup"]);
    expect(interpretText("stop", FINISHED)).toEqual(["followup"]);
    expect(interpretText("done", FINISHED)).toEqual(["completed"]);
  });

  it("a keyword inside a sentence is not a keyword", () => {
    expect(interpretText("no eggs are left", FREE)).toEqual(["response"]);
    expect(interpretText("yes, all of it", HELD_BY_SENDER)).toEqual(["response"]);
    expect(interpretText("stop by at six", HELD_BY_SENDER)).toEqual(["response"]);
  });
});

describe("free text in a chat", () => {
  it("free text is the answer, before and after a claim", () => {
    expect(interpret(buildReply("three eggs, no milk"), FREE)).toEqual([
      { response: { content: [{ text: "three eggs, no milk" }] } },
    ]);
    expect(interpretText("three eggs", HELD_BY_SENDER)).toEqual(["response"]);
    expect(interpretText("three eggs", { ...HELD_BY_SENDER, status: "partial" })).toEqual([
      "response",
    ]);
  });

  it("free text that ends in a question mark is a question", () => {
    expect(interpret(buildReply(" Which shelf? "), FREE)).toEqual([
      { status: { code: "needs_input", questions: [{ question: "Which shelf?" }] } },
    ]);
    for (const text of ["Welches Regal ?", "哪一层？", "أي رف؟", "أي رف؟\u200F", '"where?"'])
      expect(interpretText(text, HELD_BY_SENDER)).toEqual(["needs_input"]);
  });

  it("free text asks no question if the thread has ended or another member holds it", () => {
    expect(interpretText("why?", FINISHED)).toEqual(["response"]);
    expect(interpretText("may I help?", HELD_BY_OTHER)).toEqual(["followup"]);
    expect(interpretText("more?", { ...HELD_BY_SENDER, status: "partial" })).toEqual(["response"]);
  });

  it("free text is a followup if another member holds the thread, or it ended without a holder", () => {
    expect(interpret(buildReply("the key is under the mat"), HELD_BY_OTHER)).toEqual([
      { followup: { message: "the key is under the mat" } },
    ]);
    expect(interpretText("sorry", { ...FINISHED, executor: null, status: "expired" })).toEqual([
      "followup",
    ]);
  });

  it("free text in a thread that needs a confirmation requests it first, then adds to it", () => {
    const where = { ...FREE, needsConfirmation: true };
    expect(interpret(buildReply("I would throw the boxes out"), where)).toEqual([
      { status: { code: "needs_confirmation", action: "I would throw the boxes out" } },
    ]);
    expect(interpretText("these", where, { files: [PHOTO] })).toEqual([
      "needs_confirmation",
      "followup",
    ]);
    expect(interpretText("the big ones", { ...where, status: "needs_confirmation" })).toEqual([
      "followup",
    ]);
  });
});

describe("files and locations in a chat", () => {
  it("the content of a chat message is in the order of text, files and location", () => {
    const place = { latitude: 41.9, longitude: 12.5, name: "Bar" };
    const voice = { kind: "audio", token: "upload-2" } as const;

    expect(
      interpret(buildReply("here", { files: [PHOTO, voice], location: place }), HELD_BY_SENDER),
    ).toEqual([
      {
        response: {
          content: [
            { text: "here" },
            { image: { file: "upload-1" } },
            { audio: { file: "upload-2" } },
            { location: { lat: 41.9, lng: 12.5, name: "Bar" } },
          ],
        },
      },
    ]);
  });

  it("files and locations need no text in a chat message", () => {
    expect(interpretText("", FREE, { files: [PHOTO] })).toEqual(["response"]);
    expect(interpretText("", HELD_BY_SENDER, { location: { latitude: 0, longitude: 0 } })).toEqual([
      "response",
    ]);
    expect(interpretText("  ", FREE)).toEqual([]);
  });

  it("a keyword with a file is its caption, and done ends the thread", () => {
    expect(interpretText("no", FREE, { files: [PHOTO] })).toEqual(["response"]);
    expect(interpret(buildReply("Done", { files: [PHOTO] }), HELD_BY_SENDER)).toEqual([
      { response: { content: [{ image: { file: "upload-1" } }] } },
      { status: { code: "completed" } },
    ]);
  });

  it("a file is sent along with a question in a chat message", () => {
    expect(interpretText("this one?", HELD_BY_SENDER, { files: [PHOTO] })).toEqual([
      "needs_input",
      "followup",
    ]);
  });
});

it("every chat message becomes a message that the parser accepts", () => {
  const texts = ["1", "done", "no", "What?", "a: b", "---", "{}", "x".repeat(50_000), "Ünï 🍳"];
  const files = Array.from({ length: 20 }, () => PHOTO);
  for (const context of [
    FREE,
    HELD_BY_SENDER,
    HELD_BY_OTHER,
    FINISHED,
    { ...FREE, needsConfirmation: true },
  ])
    for (const text of texts)
      for (const more of [{}, { files }, { place: { latitude: 90, longitude: -180 } }]) {
        const blocks = buildReplyBlocks(buildReply(text, more), context);
        const parsed = checkMessages([{ blocks }], {
          target: "2031-01-01-001",
        });
        expect(parsed, JSON.stringify(blocks).slice(0, 300)).toMatchObject({ ok: true });
      }
});
