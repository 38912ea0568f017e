/**
 * Keywords that people reply with: 1, take it, yes, done, no, 0, stop, call off, in English, German, Spanish, French and
 * Turkish, as typed on a phone. `interpret-reply` decides their meaning, which depends on the thread.
 */
import { stripEnd, stripStart } from "../../mess/strip.ts";

/** `one` and `zero` are offered in text messages, and are numbers too. */
export type ReplyKeyword = "one" | "zero" | "take" | "yes" | "done" | "no" | "stop" | "cancel";

/** Spellings, one language a line: English with symbols, German, Spanish, French, Turkish. */
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
  ],
  yes: ["yes, y, yeah, yep, yup, ja, jo, jawohl, si, oui, ouais, evet"],
  done: [
    "done, all done, it's done, finished, completed, complete, ✅, ✔, ☑",
    "fertig, erledigt, gemacht, getan, ist erledigt",
    "hecho, ya está hecho, listo, lista, terminado, acabado",
    "fait, c'est fait, fini, c'est fini, terminé",
    "bitti, yaptım, oldu, tamamlandı, hallettim, tamamdır",
  ],
  no: [
    "no, n, nope, nah, 👎, nein, nö, nee, non, hayır, yok",
    "no thanks, no thank you, nein danke, no gracias, non merci, hayır teşekkürler",
  ],
  stop: [
    "stop, quit, decline, i can't, can't, cannot, can't do it, let go",
    "drop it, give it back, ❌, 🛑",
    "stopp, halt, geht nicht, kann nicht, ich kann nicht, leider nein, ich gebe ab",
    "para, parar, alto, no puedo, lo dejo, déjalo",
    "arrête, arrêter, arrêtez, j'arrête, je ne peux pas, impossible, je laisse",
    "dur, durdur, olmaz, yapamam, bırak, bırakıyorum, vazgeçtim",
  ],
  cancel: [
    "call off, call it off, cancel, cancel it, cancel this",
    "absagen, sag ab, sag es ab, abblasen, stornieren",
    "cancelar, cancela, cancélalo, anular, anula",
    "annuler, annule, annulez, annule-le",
    "iptal, iptal et, iptal edin",
  ],
};

/** Folds case, accents, skin tones and surrounding punctuation: `J’arrête !` and `j'arrete` are equal. */
function normalizeText(text: string): string {
  const normalized = text
    .trim()
    // Lower-casing the Turkish dotted capital would split it in two.
    .replaceAll("İ", "i")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll(/[’‘`´]/g, "'")
    .normalize("NFKD")
    .replaceAll(/\p{Mn}|\p{Emoji_Modifier}|\uFE0F/gu, "")
    .replaceAll(/\s+/g, " ");
  return stripEnd(stripStart(normalized, ' .,!¡"()'), ' .,!"()');
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
export const isQuestion = (text: string): boolean => /[?？؟]["'»”)\]\s]*$/u.test(text);
