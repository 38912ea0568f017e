/** Preferences of this device, in localStorage; defaults if storage is unavailable. */

const KEY = "mess-prefs";

/** @type {Prefs} */
const DEFAULTS = {
  lang: "",
  theme: "auto",
  size: "normal",
  camera: "environment",
  photo: 500_000,
  keepLocation: false,
  audioFormat: "webm",
  household: "",
};

/** @returns {Prefs} */
function load() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const prefs = load();

/** @param {Partial<Prefs>} changed */
export function setPrefs(changed) {
  Object.assign(prefs, changed);
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // Stays in memory until the page closes.
  }
  applyPrefs();
}

export function applyPrefs() {
  const { dataset } = document.documentElement;
  dataset["theme"] = prefs.theme;
  dataset["size"] = prefs.size;
}
