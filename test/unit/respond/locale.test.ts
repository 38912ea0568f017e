/** Formatting on the pages, in browsers with unusual languages and few supported formats. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

interface Locale {
  validTag: (tag: unknown) => string | undefined;
  pickLanguage: (tags: readonly unknown[], supported: object) => string;
  pickLocale: (tags: readonly unknown[], language: string) => string;
  formatSafely: (locale: string, format: (locale: string) => string, plain: string) => string;
}
interface Time {
  clock(at: number | string): string;
  ago(at: number | string): string;
  countdown(until: string): { text: string };
  size(bytes: number): string;
}

/** The pages are plain modules without type declarations. */
const load = async <T>(name: string) =>
  (await import(`../../../public/respond/ui/${name}.js`)) as unknown as T;

const { validTag, pickLanguage, pickLocale, formatSafely } = await load<Locale>("locale");

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("validTag", () => {
  test.each([
    ["en-US", "en-US"],
    ["EN-us", "en-US"],
    ["en-US@posix", "en-US"],
    ["de_DE.UTF-8@euro", "de-DE"],
    [" tr ", "tr"],
    ["zh-Hant-TW-u-nu-hanidec", "zh-Hant-TW-u-nu-hanidec"],
  ])("validTag reads %j as %s", (tag, expected) => {
    expect(validTag(tag)).toBe(expected);
  });

  test.each([
    "",
    "C",
    "C.UTF-8",
    "*",
    "@posix",
    "en--US",
    "not a tag",
    "e",
    7,
    null,
    undefined,
    {},
  ])("validTag rejects %j", (tag) => {
    expect(validTag(tag)).toBeUndefined();
  });
});

describe("pickLanguage", () => {
  const supported = { en: "English", de: "Deutsch", fr: "Français" };

  test.each<[unknown[], string]>([
    [["de-AT", "en"], "de"],
    [["", "fr_FR.UTF-8"], "fr"],
    [["ja-JP", "de@euro"], "de"],
    [["en-US@posix"], "en"],
    [["ja-JP"], "en"],
    [["deu-x-other"], "de"],
    [["fry"], "en"],
    [["constructor", null, 3], "en"],
    [[], "en"],
  ])("pickLanguage of %j is %s", (wanted, language) => {
    expect(pickLanguage(wanted, supported)).toBe(language);
  });
});

describe("pickLocale", () => {
  test.each<[unknown[], string, string]>([
    [["ja-JP", "en-GB", "en"], "en", "en-GB"],
    [["en-US@posix"], "en", "en-US"],
    [["en-GB"], "de", "de"],
    [["de-DE-", null], "de", "de"],
    [[], "en", "en"],
  ])("pickLocale of %j in %s is %s, which Intl accepts", (wanted, language, locale) => {
    expect(pickLocale(wanted, language)).toBe(locale);
    expect(() => new Intl.DateTimeFormat(locale)).not.toThrow();
  });
});

describe("formatSafely", () => {
  const inZone = (timeZone: string) => (locale: string) =>
    new Intl.DateTimeFormat(locale, { timeZone, hour: "numeric" }).format(0);

  test("formatSafely formats in the locale if that works", () => {
    expect(formatSafely("de-DE", (locale) => (1.5).toLocaleString(locale), "plain")).toBe("1,5");
  });

  test("formatSafely formats in English if the locale is invalid", () => {
    expect(formatSafely("en-US@posix", (locale) => (1.5).toLocaleString(locale), "plain")).toBe(
      "1.5",
    );
  });

  test("formatSafely returns the plain text for an unknown time zone", () => {
    expect(formatSafely("en", inZone("Mars/Olympus_Mons"), "plain")).toBe("plain");
    expect(formatSafely("en", inZone("UTC"), "plain")).toBe("12 AM");
  });
});

describe("times and sizes on the page", () => {
  const AT = "2026-02-01T17:00:00+01:00";
  let time: Time;

  async function open(languages: readonly string[]): Promise<void> {
    vi.stubGlobal("navigator", { languages, language: languages[0] });
    vi.stubGlobal("document", { documentElement: { dataset: {} } });
    await (await load<{ loadLanguage(): Promise<void> }>("i18n")).loadLanguage();
    time = await load<Time>("time-format");
  }

  const all = () => [
    time.clock(AT),
    time.clock(0),
    time.clock("soon"),
    time.ago(AT),
    time.ago("soon"),
    time.countdown("2099-01-01T00:00:00Z").text,
    time.countdown("soon").text,
    time.size(240_000),
    time.size(Number.NaN),
  ];

  beforeEach(() => vi.resetModules());

  test.each([[["en-US@posix"]], [["C"]], [["de_DE@euro"]], [[]], [["x-y-", "tr-TR"]]])(
    "times and sizes are never empty in a browser with the languages %j",
    async (languages) => {
      await open(languages);

      for (const text of all()) expect(text).not.toBe("");
    },
  );

  test("times and sizes are in the browser's variant of the language", async () => {
    await open(["de-CH@posix"]);

    expect([time.size(240_000), time.size(1_500_000)]).toEqual(["240 kB", "1.5 MB"]);
  });

  test("times and sizes are plain if no format is available", async () => {
    await open(["en-GB"]);
    const refuse = (): never => {
      throw new RangeError("not known here");
    };
    for (const name of ["DateTimeFormat", "NumberFormat", "RelativeTimeFormat"] as const)
      vi.spyOn(Intl, name).mockImplementation(refuse);

    const written = all();
    vi.restoreAllMocks();

    expect(written.slice(0, 5)).toEqual([AT, "1970-01-01T00:00:00.000Z", "soon", AT, "soon"]);
    expect(written[5]).toMatch(/^\d+ day \d+ hour$/);
    expect(written[7]).toBe("240 kilobyte");
  });
});
