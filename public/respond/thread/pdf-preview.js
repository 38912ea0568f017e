/**
 * Shows PDFs in the browser's own viewer, where it has one that works in a frame. The bytes become a blob that is
 * always typed as a PDF, so that a page disguised as one never runs with this origin.
 */
import { h } from "../ui/dom.js";

const PDF = "application/pdf";
/** The viewer's toolbar would hide a part of the first page. */
const VIEW = "#toolbar=0&navpanes=0&view=FitH";
const LOAD_BEFORE_PX = 300;

/** Phones have no viewer, or show only a picture of the first page in a frame. */
const hasViewer = () => navigator.pdfViewerEnabled && !matchMedia("(pointer: coarse)").matches;

/** @param {string} url of a blob @param {string} name */
const createFrame = (url, name) =>
  h("iframe", { class: "pdf-frame", src: url + VIEW, title: name, loading: "lazy" });

/** Puts the first page of a chosen PDF above its link. @param {HTMLElement} link @param {string} url of a blob @param {string} name */
export function showChosenPdf(link, url, name) {
  if (hasViewer()) link.before(createFrame(url, name));
}

/** Puts the first page of each received PDF above its link, once the link comes near the screen. */
export function showReceivedPdfs() {
  if (!hasViewer()) return;
  for (const link of document.querySelectorAll("a[data-pdf]"))
    if (link instanceof HTMLAnchorElement) watcher().observe(link);
}

/** @type {IntersectionObserver | undefined} */
let observer;
const watcher = () =>
  (observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting && target instanceof HTMLAnchorElement) {
          observer?.unobserve(target);
          void load(target).catch(() => {});
        }
    },
    { rootMargin: `${LOAD_BEFORE_PX}px` },
  ));

/** @param {HTMLAnchorElement} link */
async function load(link) {
  const name = link.dataset["pdf"] ?? "";
  delete link.dataset["pdf"];
  const response = await fetch(link.href);
  if (!response.ok) return;
  const url = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: PDF }));
  link.before(createFrame(url, name));
  // The link then opens the viewer, in which the file can also be saved.
  link.href = url;
  link.target = "_blank";
  link.removeAttribute("download");
}
