/** The settings sheet: language, theme, text size, camera, photos, recordings. */
import { choiceControl } from "../answer/fields.js";
import { h } from "./dom.js";
import { currentLanguage, LANGUAGES, t } from "./i18n.js";
import { prefs, setPrefs } from "./preferences.js";
import { openSheet } from "./sheet.js";

/**
 * @param {() => Promise<void>} onLanguage called after the language changed
 * @param {HTMLElement[]} [more] additional settings of the page
 */
export function openSettings(onLanguage, more = []) {
  /** @type {Record<string, import("../answer/fields.js").Control>} */
  const controls = {
    lang: choiceControl(t("language"), Object.entries(LANGUAGES), {
      value: currentLanguage(),
      changed: async () => {
        setPrefs({ lang: controls["lang"]?.value() });
        await onLanguage();
        sheet.close();
        openSettings(onLanguage, more);
      },
    }),
    theme: choiceControl(
      t("theme"),
      [
        ["auto", t("theme_auto")],
        ["light", t("theme_light")],
        ["dark", t("theme_dark")],
      ],
      { value: prefs.theme, changed: () => setPrefs({ theme: controls["theme"]?.value() }) },
    ),
    size: choiceControl(
      t("text_size"),
      [
        ["normal", t("size_normal")],
        ["large", t("size_large")],
        ["larger", t("size_larger")],
      ],
      { value: prefs.size, changed: () => setPrefs({ size: controls["size"]?.value() }) },
    ),
    photo: choiceControl(
      t("photo_size"),
      [
        [500_000, t("photo_small")],
        [1_500_000, t("photo_medium")],
        [0, t("photo_original")],
      ],
      { value: prefs.photo, changed: () => setPrefs({ photo: controls["photo"]?.value() }) },
    ),
    keepLocation: choiceControl(
      t("keep_location"),
      [
        [false, t("keep_location_no")],
        [true, t("keep_location_yes")],
      ],
      {
        value: prefs.keepLocation,
        changed: () => setPrefs({ keepLocation: controls["keepLocation"]?.value() }),
      },
    ),
    audioFormat: choiceControl(
      t("audio_format"),
      [
        ["webm", t("audio_webm")],
        ["mp4", t("audio_mp4")],
      ],
      {
        value: prefs.audioFormat,
        changed: () => setPrefs({ audioFormat: controls["audioFormat"]?.value() }),
      },
    ),
    camera: choiceControl(
      t("camera_which"),
      [
        ["environment", t("camera_back")],
        ["user", t("camera_front")],
      ],
      { value: prefs.camera, changed: () => setPrefs({ camera: controls["camera"]?.value() }) },
    ),
  };
  const sheet = openSheet(t("settings"), [
    h("div", { class: "stack" }, ...more, ...Object.values(controls).map(({ element }) => element)),
  ]);
}
