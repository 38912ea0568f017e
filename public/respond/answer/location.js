/** Asks for a location: from the device, on a tap, or as a name. */
import { h, icon } from "../ui/dom.js";
import { showError, textControl } from "./fields.js";
import { t } from "../ui/i18n.js";
import { openSheet } from "../ui/sheet.js";

const TIMEOUT_MS = 15_000;

/** @param {(place: Place) => void} done */
export function askLocation(done) {
  const errorBox = h("div");
  const name = textControl(t("place_name"));
  const here = h(
    "button",
    { type: "button", class: "secondary wide" },
    icon("place"),
    h("span", {}, t("place_here")),
  );
  const form = h(
    "form",
    { class: "stack" },
    here,
    errorBox,
    name.element,
    h("button", { type: "submit", class: "primary" }, t("place_use")),
  );
  const sheet = openSheet(t("place"), [form]);
  const finish = (/** @type {Place} */ location) => {
    sheet.close();
    const text = name.value().trim();
    done({ ...location, ...(text === "" ? {} : { name: text }) });
  };
  here.addEventListener("click", () => {
    showError(errorBox, "");
    if (!("geolocation" in navigator)) return showError(errorBox, t("place_denied"));
    here.disabled = true;
    here.setAttribute("aria-busy", "true");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) =>
        finish({
          lat: coords.latitude,
          lng: coords.longitude,
          accuracy: Math.round(coords.accuracy),
        }),
      ({ code }) => {
        here.disabled = false;
        here.removeAttribute("aria-busy");
        showError(errorBox, t(code === 1 ? "place_denied" : "place_unknown"));
      },
      { enableHighAccuracy: true, timeout: TIMEOUT_MS, maximumAge: 60_000 },
    );
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name.value().trim() === "") showError(errorBox, t("place_missing"));
    else finish({});
  });
}
