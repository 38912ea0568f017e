/**
 * Keywords that people reply with: 1, take it, yes, done, no, 0, stop, call off, in the seven languages of the pages, as
 * typed on a phone. `interpret-reply` decides their meaning, which depends on the thread.
 */
import { stripEnd, stripStart } from "../../mess/strip.ts";

/** `one` and `zero` are offered in text messages, and are numbers too. */
export type ReplyKeyword = "one" | "zero" | "take" | "yes" | "done" | "no" | "stop" | "cancel";

/**
 * Spellings, one language a line: English with symbols, German, Spanish, French, Turkish, Portuguese, Arabic. A word
 * that means something else in another of them is missing: the Portuguese `pronto` is the Spanish "soon".
 */
const SPELLINGS: Readonly<Record<ReplyKeyword, readonly string[]>> = {
  one: ["1"],
  zero: ["0"],
  take: [
    "ok, okay, k, claim, mine, on it, i'm on it, i'll do it, will do",
    "sure, 👍, 👌, 🙋",
    "klar, geht klar, mach ich, mache ich, ich mach's, bin dran, übernehme ich",
    "vale, claro, de acuerdo, voy, yo lo hago, lo hago yo",
    "d'accord, entendu, je m'en occupe, j'y vais, je prends",
    "tamam, olur, peki, bende, ben yaparım, üstlendim, yapıyorum",
    "certo, combinado, beleza, pode deixar, deixa comigo, eu faço, faço eu, fico com isso, já vou, tá bom, está bem",
    "حسنا, موافق, تمام, طيب, ماشي, حاضر, اوكي, اوك, سأفعل, سأقوم بذلك, سأتولى الأمر, أنا أتولى الأمر",
  ],
  yes: [
    "yes, y, yeah, yep, yup, ja, jo, jawohl, si, oui, ouais, evet, sim",
    "نعم, أجل, بلى, أيوه, أيوا, آه",
  ],
  done: [
    "done, all done, it's done, finished, completed, complete, ✅, ✔, ☑",
    "fertig, erledigt, gemacht, getan, ist erledigt",
    "hecho, ya está hecho, listo, lista, terminado, acabado",
    "fait, c'est fait, fini, c'est fini, terminé",
    "bitti, yaptım, oldu, tamamlandı, hallettim, tamamdır",
    "feito, está feito, tá feito, já fiz, concluído, terminei, acabei, está pronto, tudo pronto",
    "تم, تم ذلك, تم الأمر, تم الإنجاز, أنجزت, انتهيت, انتهى, انتهى الأمر, خلصت, فعلت",
  ],
  no: [
    "no, n, nope, nah, 👎, nein, nö, nee, non, hayır, yok",
    "no thanks, no thank you, nein danke, no gracias, non merci, hayır teşekkürler",
    "não, não obrigado, não obrigada, agora não",
    "لا, كلا, لا شكرا",
  ],
  stop: [
    "stop, quit, decline, i can't, can't, cannot, can't do it, let go",
    "drop it, give it back, ❌, 🛑",
    "stopp, halt, geht nicht, kann nicht, ich kann nicht, leider nein, ich gebe ab",
    "para, parar, alto, no puedo, lo dejo, déjalo",
    "arrête, arrêter, arrêtez, j'arrête, je ne peux pas, impossible, je laisse",
    "dur, durdur, olmaz, yapamam, bırak, bırakıyorum, vazgeçtim",
    "pare, não posso, não consigo, não dá, impossível, desisto",
    "توقف, قف, لا أستطيع, لن أستطيع, ما أقدر, لا أقدر, لا يمكنني, مستحيل, أعتذر, أنسحب",
  ],
  cancel: [
    "call off, call it off, cancel, cancel it, cancel this",
    "absagen, sag ab, sag es ab, abblasen, stornieren",
    "cancelar, cancela, cancélalo, anular, anula",
    "annuler, annule, annulez, annule-le",
    "iptal, iptal et, iptal edin",
    "cancele, cancelem, anule, desmarcar, desmarca, desmarque",
    "إلغاء, إلغاء الطلب, ألغ, ألغي, ألغه, ألغها, ألغ الطلب, ألغي الطلب",
  ],
};

/** The first digits of the Arabic scripts: the other nine follow them. */
const ARABIC_ZEROS = [0x0660, 0x06f0];

const toAsciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0);
  const zero = ARABIC_ZEROS.find((first) => code >= first && code < first + 10)!;
  return String(code - zero);
};

/**
 * Folds case, accents, skin tones and surrounding punctuation: `J’arrête !` and `j'arrete` are equal. In Arabic, hamza
 * and vowel signs are accents too; people also leave out the dots of final letters.
 */
function normalizeText(text: string): string {
  const normalized = text
    .trim()
    // Lower-casing the Turkish dotted capital would split it in two.
    .replaceAll("İ", "i")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll(/[’‘`´]/g, "'")
    .normalize("NFKD")
    // Also direction marks, which keyboards insert, and the Arabic stretching stroke.
    .replaceAll(/\p{Mn}|\p{Cf}|\p{Emoji_Modifier}|\uFE0F|\u0640/gu, "")
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, toAsciiDigit)
    .replaceAll("ى", "ي")
    .replaceAll("ة", "ه")
    .replaceAll("،", ",")
    .replaceAll(/\s+/g, " ");
  return stripEnd(stripStart(normalized, ' .,!¡"()'), ' .,!"()').replaceAll(", ", " ");
}

const KEYWORD_BY_SPELLING: ReadonlyMap<string, ReplyKeyword> = new Map(
  Object.entries(SPELLINGS).flatMap(([word, spellings]) =>
    spellings
      .flatMap((line) => line.split(", "))
      .map((spelling) => [normalizeText(spelling), word as ReplyKeyword] as const),
  ),
);

/** The keyword that the whole text is; undefined for any other text. */
export const readKeyword = (text: string): ReplyKeyword | undefined =>
  text.length > 40 ? undefined : KEYWORD_BY_SPELLING.get(normalizeText(text));

/** Ends with a question mark of any script. */
export const isQuestion = (text: string): boolean => /[?？؟]["'»”)\]\s\u200E\u200F]*$/u.test(text);
