/**
 * Holding the microphone button records a voice note: releasing adds it, sliding towards the start of the line or
 * Escape discards it, and sliding up locks it, so that the hand is free. A tap opens the recorder's sheet instead.
 */
import { announce, prefersLessMotion } from "../ui/accessibility.js";
import { fill, h, icon } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { createMeters, endStream, getErrorText, startRecording, toFile } from "./recording.js";

/**
 * @typedef {{
 *   done: (file: File) => void,
 *   reportError: (words: string) => void,
 *   recording: (isRecording: boolean) => void,
 * }} HoldHost
 */

/** A shorter press is a tap. */
const HOLD_MS = 300;
/** A shorter recording is a press that was meant as a tap. */
const MIN_RECORDING_MS = 700;
/** A finger that moves farther before the hold begins does not hold. */
const STEADY_PX = 12;
const CANCEL_PX = 96;
const LOCK_PX = 72;

/** Ends the recording that is locked or held. @type {(() => void) | undefined} */
let finishCurrent;
let isClickTaken = false;

/** True if the click belongs to a hold. A click during a locked recording finishes it. */
export function takeClick() {
  const wasTaken = isClickTaken || finishCurrent !== undefined;
  if (!isClickTaken) finishCurrent?.();
  isClickTaken = false;
  return wasTaken;
}

/**
 * Waits whether a press on the button becomes a hold.
 * @param {HTMLButtonElement} button @param {PointerEvent} press @param {HoldHost} host
 */
export function watchPress(button, press, host) {
  isClickTaken = false;
  if (finishCurrent || !press.isPrimary || press.button !== 0) return;
  try {
    button.setPointerCapture(press.pointerId);
  } catch {
    return;
  }
  // The finger may have left while this module was loaded.
  if (!button.hasPointerCapture(press.pointerId)) return;
  const watch = new AbortController();
  const { signal } = watch;
  const leave = () => watch.abort();
  const timer = setTimeout(() => {
    leave();
    isClickTaken = true;
    void hold(button, press, host);
  }, HOLD_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  button.addEventListener("pointerup", leave, { signal });
  button.addEventListener("pointercancel", leave, { signal });
  button.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  button.addEventListener(
    "pointermove",
    (event) => {
      const { x, y } = event;
      if (Math.hypot(x - press.x, y - press.y) > STEADY_PX) leave();
    },
    { signal },
  );
}

/** @param {HTMLButtonElement} button @param {PointerEvent} press @param {HoldHost} host */
async function hold(button, press, host) {
  const watch = new AbortController();
  const { signal } = watch;
  const strip = new Strip(button);
  let isHeld = true;
  /** @type {import("./recording.js").Recording | undefined} */
  let recording;
  const cancel = () => {
    isHeld = false;
    recording?.cancel();
  };
  const finish = () => {
    if (!isHeld) return;
    isHeld = false;
    if (!recording) return;
    if (recording.elapsedMs() >= MIN_RECORDING_MS) return recording.stop();
    cancel();
    host.reportError(t("hold_longer"));
  };
  const releaseButton = () => {
    if (!strip.isLocked) finish();
  };
  const lock = () => {
    strip.lock(finish, cancel);
    navigator.vibrate?.(10);
  };
  const toStart = getComputedStyle(button).direction === "rtl" ? 1 : -1;
  /** @param {PointerEvent} event */
  const slide = ({ x, y }) => {
    if (!isHeld || !recording || strip.isLocked) return;
    const towardsStart = (x - press.x) * toStart;
    const upwards = press.y - y;
    if (towardsStart > CANCEL_PX) cancel();
    else if (upwards > LOCK_PX) lock();
    else strip.follow(Math.max(0, towardsStart) * toStart, -Math.max(0, upwards));
  };
  button.addEventListener("pointermove", slide, { signal });
  // A gesture of the system may take the pointer away: the recording is kept, since the person can remove it.
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
    button.addEventListener(end, releaseButton, { signal });
  button.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && cancel(), { signal });
  document.addEventListener("visibilitychange", () => document.hidden && finish(), { signal });

  const close = () => {
    watch.abort();
    finishCurrent = undefined;
    strip.remove();
    host.recording(false);
  };
  finishCurrent = finish;
  host.reportError("");
  host.recording(true);
  /** @type {MediaStream | undefined} */
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    if (!isHeld) {
      endStream(stream);
      close();
      return host.reportError(t("hold_again"));
    }
    recording = startRecording(stream, "audio", strip.meters, (blob) => {
      close();
      if (blob) host.done(toFile(blob, "voice"));
      else announce(t("voice_discarded"));
    });
    strip.begin();
    navigator.vibrate?.(10);
  } catch (error) {
    endStream(stream);
    close();
    host.reportError(getErrorText(error, "audio"));
  }
}

/** The card above the buttons that shows the time and what sliding does. */
class Strip {
  meters = createMeters();
  isLocked = false;
  #hints = h("p", { class: "faint" }, t("record_asking"));

  /** @param {HTMLButtonElement} button */
  constructor(button) {
    this.button = button;
    const { time, level } = this.meters;
    this.element = h(
      "div",
      { class: "voice-note", role: "group", "aria-label": t("record_audio") },
      h("div", { class: "voice-time" }, h("span", { class: "rec" }), time, level),
      this.#hints,
    );
    button.classList.add("held");
    button.parentElement?.prepend(this.element);
    if (this.element.getBoundingClientRect().top < 0) this.element.classList.add("below");
  }

  begin() {
    fill(
      this.#hints,
      h("span", {}, h("span", { class: "chevron", "aria-hidden": "true" }), t("slide_cancel")),
      h("span", {}, icon("up"), t("slide_lock")),
    );
    this.#hints.className = "faint voice-hints";
  }

  /** Moves the button with the finger. @param {number} x @param {number} y pixels */
  follow(x, y) {
    if (!prefersLessMotion()) this.button.style.translate = `${x}px ${y}px`;
  }

  /** @param {() => void} finish @param {() => void} cancel */
  lock(finish, cancel) {
    this.isLocked = true;
    this.#releaseButton();
    const use = h(
      "button",
      { type: "button", class: "primary", on: { click: finish } },
      icon("check"),
      t("use"),
    );
    const discard = h(
      "button",
      { type: "button", class: "secondary", on: { click: cancel } },
      icon("close"),
      t("discard"),
    );
    this.element.classList.add("locked");
    this.#hints.replaceWith(h("div", { class: "row" }, discard, use));
    use.focus();
  }

  #releaseButton() {
    this.button.classList.remove("held");
    this.button.style.translate = "";
  }

  remove() {
    this.#releaseButton();
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    if (hadFocus) this.button.focus();
  }
}
