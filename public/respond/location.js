/** Where: from the device when the person says so, or by name. */
import { h, icon } from "./dom.js";
import { complain, textControl } from "./fields.js";
import { t } from "./i18n.js";
import { openSheet } from "./sheet.js";

const PATIENCE = 15_000;

/** @param {(place: Place) => void} done */
export function askPlace(done) {
  const fault = h("div");
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
    fault,
    name.element,
    h("button", { type: "submit", class: "primary" }, t("place_use")),
  );
  const sheet = openSheet(t("place"), [form]);
  const finish = (/** @type {Place} */ place) => {
    sheet.close();
    const words = name.value().trim();
    done({ ...place, ...(words === "" ? {} : { name: words }) });
  };
  here.addEventListener("click", () => {
    complain(fault, "");
    if (!("geolocation" in navigator)) return complain(fault, t("place_denied"));
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
        complain(fault, t(code === 1 ? "place_denied" : "place_unknown"));
      },
      { enableHighAccuracy: true, timeout: PATIENCE, maximumAge: 60_000 },
    );
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name.value().trim() === "") complain(fault, t("place_missing"));
    else finish({});
  });
}
