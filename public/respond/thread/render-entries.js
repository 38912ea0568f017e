/**
 * Renders the entries of a context or an answer (protocol §2). The content is untrusted: it is inserted as text, and
 * nothing is fetched from other origins until the person taps a link.
 */
import { h, icon } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { getAttachment, getEarlier } from "../send/thread-store.js";
import { renderJson } from "./render-json.js";
import { size } from "../ui/time-format.js";

/** @param {unknown} value @returns {value is JsonMap} */
export const isMap = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");

/** Image types that the exchange serves inline; all others are downloads. */
const INLINE = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Larger PDFs load only when they are opened. */
const MAX_PDF_PREVIEW_BYTES = 20_000_000;

/** Time for the browser to begin a download before its data is released. */
const DOWNLOAD_START_MS = 10_000;

/** @param {string} uri @returns {URL | undefined} */
function toUrl(uri) {
  try {
    const url = new URL(uri);
    return ["http:", "https:"].includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A text block, upgraded to Markdown after the first paint.
 * @param {string} words
 */
export const prose = (words) =>
  h("div", { class: "prose", dir: "auto", data: { markdown: "" } }, words);

/** @param {unknown} entries @returns {HTMLElement[]} */
export const renderEntries = (entries) =>
  (Array.isArray(entries) ? entries : [])
    .map(renderEntry)
    .filter((element) => element !== undefined);

/** @param {Json} entry @returns {HTMLElement | undefined} */
function renderEntry(entry) {
  if (typeof entry === "string") return prose(entry);
  if (!isMap(entry)) return undefined;
  const [[kind, value] = ["", null], ...others] = Object.entries(entry);
  if (others.length > 0) return renderJson(entry);
  switch (kind) {
    case "text":
      return prose(String(value));
    case "image":
    case "audio":
    case "video":
    case "file":
      return renderMedia(kind, value);
    case "url":
      return isMap(value)
        ? webLink(
            text(value["url"] ?? value["uri"] ?? value["href"]),
            text(value["title"] ?? value["name"]),
          )
        : webLink(String(value), "");
    case "ref":
      return renderRef(String(value));
    case "location":
      return renderLocation(value);
    case "confirmation":
      return renderConfirmation(value);
    case "error":
      return h(
        "p",
        { class: "banner bad", dir: "auto" },
        icon("warn"),
        h(
          "span",
          {},
          isMap(value) ? text(value["message"]) || String(value["code"] ?? "") : String(value),
        ),
      );
    case "embedding":
      return h("p", { class: "faint" }, t("numbers"));
    case "json":
    case "structured":
      return renderJson(value);
    default:
      return renderJson(entry);
  }
}

/** @param {MediaKind} kind @param {Json} value */
function renderMedia(kind, value) {
  const map = isMap(value) ? value : { uri: text(value) };
  const info = getAttachment(text(map["file"]) || text(map["resource"]));
  const name = text(map["name"]) || info?.original || info?.name || t(kind);
  if (!info) return renderRemote(kind, text(map["uri"]) || text(map["file"]), text(map["name"]));
  // Never load media from another origin, whatever the list contains.
  const url = new URL(info.url, location.origin);
  if (url.origin !== location.origin) return fileLink(url.href, name, info);
  const src = url.pathname + url.search;
  if (kind === "image" && INLINE.includes(info.mime))
    return zoomable(src, name, () => fileLink(src, name, info));
  if (kind === "audio" || kind === "video") return player(kind, src, name, info);
  if (info.mime === "application/pdf") return renderPdf(src, name, info, map["pages"]);
  return fileLink(src, name, info);
}

/** The earlier request with its answers; a chip if the reader may not see it. @param {string} target */
function renderRef(target) {
  const found = getEarlier().find(({ ref, part }) => target === (part ? `${ref}/${part}` : ref));
  const title = h("span", {}, t("earlier", { ref: found ? found.intent : target }));
  if (!found) return h("p", { class: "chip" }, icon("link"), title);
  const answers = found.messages.flatMap(({ MESS }) =>
    MESS.flatMap(({ response }) =>
      isMap(response)
        ? [...renderEntries(response["content"]), ...renderEntries([response["notes"] ?? null])]
        : [],
    ),
  );
  return h(
    "section",
    { class: "earlier" },
    h("p", { class: "faint" }, icon("link"), title),
    ...answers,
  );
}

/** @param {"audio" | "video"} kind @param {string} src @param {string} name @param {AttachmentInfo} info */
function player(kind, src, name, info) {
  const media = h(kind, {
    controls: true,
    preload: "metadata",
    src,
    "aria-label": name,
    playsinline: true,
  });
  const figure = h("figure", { class: "player" }, media, h("figcaption", { dir: "auto" }, name));
  media.addEventListener("error", () => figure.replaceWith(fileLink(src, name, info)), {
    once: true,
  });
  return figure;
}

/** @param {string} href @param {string} name @param {Pick<AttachmentInfo, "size">} info @param {string} [more] */
const fileLink = (href, name, info, more = "") =>
  h(
    "a",
    { class: "filelink", href, download: name, rel: "noopener" },
    ...describeFile(name, info.size, more),
  );

/** @param {string} name @param {number} bytes @param {string} [more] */
const describeFile = (name, bytes, more = "") => [
  icon("file"),
  h("span", { class: "filename", dir: "auto" }, name),
  h("span", { class: "faint" }, [size(bytes), more].filter(Boolean).join(" · ")),
];

/** A PDF, whose first page is added later where the browser can show it. @param {string} src @param {string} name @param {AttachmentInfo} info @param {Json | undefined} pages */
function renderPdf(src, name, info, pages) {
  const link = fileLink(src, name, info, typeof pages === "number" ? t("pages", { n: pages }) : "");
  if (info.size <= MAX_PDF_PREVIEW_BYTES) link.dataset["pdf"] = name;
  return h("div", { class: "pdf" }, link);
}

/**
 * @param {string} src
 * @param {string} name
 * @param {() => HTMLElement} otherwise replacement if the image does not load
 */
function zoomable(src, name, otherwise) {
  const image = h("img", { src, alt: name, loading: "lazy", decoding: "async" });
  const click = async () => (await import("./image-zoom.js")).enlarge(src, name);
  const button = h(
    "button",
    { class: "photo", type: "button", "aria-label": t("enlarge", { name }), on: { click } },
    image,
  );
  image.addEventListener("error", () => button.replaceWith(otherwise()), { once: true });
  return button;
}

/** Shows images in data URLs, offers other data to download, and links to other hosts. @param {MediaKind} kind @param {string} uri @param {string} name */
function renderRemote(kind, uri, name) {
  if (kind === "image" && /^data:image\/(png|jpeg|webp|gif);base64,/i.test(uri))
    return zoomable(uri, name || t("image"), () => h("p", { class: "faint" }, t("image")));
  const [, data = ""] = /^data:[^,]*;base64,(.*)$/i.exec(uri) ?? [];
  if (data !== "") return downloadButton(data, name || t(kind));
  return webLink(uri, name);
}

/** Not a link: no browser must ever open data of others as a page. @param {string} base64 @param {string} name */
function downloadButton(base64, name) {
  const click = () => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    h("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_START_MS);
  };
  return h(
    "button",
    { class: "filelink", type: "button", on: { click } },
    ...describeFile(name, (base64.length * 3) / 4),
  );
}

/** @param {string} uri @param {string} title */
function webLink(uri, title) {
  const url = toUrl(uri);
  if (!url)
    return h(
      "p",
      { class: "chip", dir: "auto" },
      icon("file"),
      title === "" ? uri : `${title} (${uri})`,
    );
  return h(
    "a",
    { class: "filelink", href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" },
    icon("link"),
    h(
      "span",
      { class: "filename", dir: "auto" },
      title || url.href.replace(/^https?:\/\/|\/$/g, ""),
    ),
    title !== "" && h("span", { class: "faint" }, url.host),
  );
}

/** @param {Json} value */
export function renderLocation(value) {
  const place = isMap(value) ? value : { name: String(value) };
  const words = [place["name"], place["address"], place["description"]].map(text).filter(Boolean);
  const { lat, lng } = place;
  const known = typeof lat === "number" && typeof lng === "number";
  const radius = place["radius_km"];
  return h(
    "div",
    { class: "place" },
    icon("place"),
    h(
      "div",
      {},
      ...words.map((line) => h("p", { dir: "auto" }, line)),
      typeof radius === "number" && h("p", { class: "faint" }, t("within", { km: radius })),
      known &&
        h(
          "a",
          {
            href: `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`,
            target: "_blank",
            rel: "noopener noreferrer",
          },
          t("map", { at: `${lat.toFixed(5)}, ${lng.toFixed(5)}` }),
        ),
    ),
  );
}

/** @param {Json} value */
function renderConfirmation(value) {
  const yes = isMap(value) ? value["confirmed"] === true : value === true;
  const details = isMap(value) ? value["details"] : undefined;
  // The verdict on a draft says whether the draft was edited.
  const verdict = isMap(value) && "edited" in value ? "agreed" : yes ? "yes" : "no";
  return h(
    "p",
    { class: `verdict ${yes ? "good" : "bad"}` },
    icon(yes ? "check" : "close"),
    h("strong", {}, t(verdict)),
    typeof details === "string" && h("bdi", {}, details),
  );
}
