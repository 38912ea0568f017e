/** The texts of the pages from the pages' own tables, so that tests name a text by its key, not by its wording. */

type Texts = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string | number>>;
type Language = "en" | "ar" | "de" | "pt" | "tr";

type PageWithTexts = "respond" | "inbox" | "inbox/agent-groups" | "inbox/messages" | "console";

/** Loads the table of a page, which is a plain module without type declarations. */
export async function loadTexts(page: PageWithTexts, language: string): Promise<Texts> {
  const path: string = `../../public/${page}/lang/${language}.js`;
  const { texts } = (await import(path)) as { texts: Texts };
  return texts;
}

const TEXTS = {
  respond: {
    en: await loadTexts("respond", "en"),
    ar: await loadTexts("respond", "ar"),
    de: await loadTexts("respond", "de"),
    pt: await loadTexts("respond", "pt"),
    tr: await loadTexts("respond", "tr"),
  },
  console: {
    en: await loadTexts("console", "en"),
    ar: await loadTexts("console", "ar"),
    de: await loadTexts("console", "de"),
    pt: await loadTexts("console", "pt"),
    tr: await loadTexts("console", "tr"),
  },
  inbox: {
    en: await loadTexts("inbox", "en"),
    ar: await loadTexts("inbox", "ar"),
    de: await loadTexts("inbox", "de"),
    pt: await loadTexts("inbox", "pt"),
    tr: await loadTexts("inbox", "tr"),
  },
  "inbox/agent-groups": {
    en: await loadTexts("inbox/agent-groups", "en"),
    ar: await loadTexts("inbox/agent-groups", "ar"),
    de: await loadTexts("inbox/agent-groups", "de"),
    pt: await loadTexts("inbox/agent-groups", "pt"),
    tr: await loadTexts("inbox/agent-groups", "tr"),
  },
  "inbox/messages": {
    en: await loadTexts("inbox/messages", "en"),
    ar: await loadTexts("inbox/messages", "ar"),
    de: await loadTexts("inbox/messages", "de"),
    pt: await loadTexts("inbox/messages", "pt"),
    tr: await loadTexts("inbox/messages", "tr"),
  },
} as const;

const PLACEHOLDER = /\{(\w+)\}/g;

function find(page: PageWithTexts, key: string, language: Language): string {
  const text = TEXTS[page][language][key];
  if (text === undefined) throw new Error(`no text of the ${page} page is named ${key}`);
  return text;
}

const fill = (text: string, values: Values): string =>
  text.replaceAll(PLACEHOLDER, (_whole, name: string) => {
    if (values[name] === undefined) throw new Error(`a value is missing for {${name}}`);
    return String(values[name]);
  });

/** Matches the text with any value in the placeholders for which none is given. */
const patternOf = (text: string, values: Values): RegExp => {
  const parts = text.split(PLACEHOLDER).map((part, index) => {
    const value = index % 2 === 1 ? values[part] : part;
    return value === undefined ? ".*" : String(value).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(parts.join(""));
};

/** A text of the respond page, such as `t("send_answer")`. */
export const t = (key: string, values: Values = {}, language: Language = "en"): string =>
  fill(find("respond", key, language), values);

export const pattern = (key: string, values: Values = {}): RegExp =>
  patternOf(find("respond", key, "en"), values);

/** A text of the inbox. */
export const inboxText = (key: string, values: Values = {}, language: Language = "en"): string =>
  fill(find("inbox", key, language), values);

export const inboxPattern = (key: string, values: Values = {}): RegExp =>
  patternOf(find("inbox", key, "en"), values);

/** A text of the agent groups in the inbox. */
export const agentGroupText = (key: string, values: Values = {}, language: Language = "en") =>
  fill(find("inbox/agent-groups", key, language), values);

/** A text of the messages view in the inbox. */
export const messageText = (key: string, values: Values = {}, language: Language = "en") =>
  fill(find("inbox/messages", key, language), values);

/** A text of the console. */
export const consoleText = (key: string, values: Values = {}, language: Language = "en") =>
  fill(find("console", key, language), values);
