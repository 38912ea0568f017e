/** Records audio or video from a stream; shared by the sheet of the recorder and the hold of the microphone button. */
import { h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { prefs } from "../ui/preferences.js";
import { pickRecordingType } from "./recording-type.js";

/** @typedef {"audio" | "video"} RecordingKind */
/** @typedef {{ stop: () => void, cancel: () => void, elapsedMs: () => number }} Recording */

/** Recordings of this length stay below the 100 MB limit of a file. */
const MAX_RECORDING_MS = { audio: 30 * 60_000, video: 4 * 60_000 };
const CHUNK_MS = 1_000;

/** The elements that show the elapsed time and the volume. */
export const createMeters = () => ({
  time: h("p", { class: "timer", role: "timer" }, "0:00"),
  level: h("meter", { min: 0, max: 1, value: 0, class: "level", "aria-label": t("level") }),
});

/**
 * Records until `stop`, the maximum length, the end of the stream, or until the tab is hidden: phones silence the
 * microphone of a hidden tab. Ends the stream in every case.
 * @param {MediaStream} stream @param {RecordingKind} kind @param {ReturnType<typeof createMeters>} meters
 * @param {(blob: Blob | undefined) => void} ended called once, without a blob after `cancel`
 * @returns {Recording}
 */
export function startRecording(stream, kind, { time, level }, ended) {
  const type = pickRecordingType(kind, prefs.audioFormat, (one) =>
    MediaRecorder.isTypeSupported(one),
  );
  const recorder = new MediaRecorder(stream, type ? { mimeType: type } : {});
  const begun = Date.now();
  let isCancelled = false;
  /** @type {Blob[]} */
  const chunks = [];
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  const stopIfHidden = () => document.hidden && stop();
  document.addEventListener("visibilitychange", stopIfHidden);
  const limit = setTimeout(stop, MAX_RECORDING_MS[kind]);
  const stopMeters = [measureVolume(stream, (loud) => (level.value = loud)), startClock(time)];
  recorder.addEventListener("dataavailable", ({ data }) => void chunks.push(data));
  recorder.addEventListener("stop", () => {
    clearTimeout(limit);
    document.removeEventListener("visibilitychange", stopIfHidden);
    for (const end of stopMeters) end();
    endStream(stream);
    const mime = (recorder.mimeType || type || `${kind}/webm`).split(";")[0] ?? "";
    ended(isCancelled ? undefined : new Blob(chunks, { type: mime }));
  });
  recorder.start(CHUNK_MS);
  return {
    stop,
    cancel: () => {
      isCancelled = true;
      stop();
    },
    elapsedMs: () => Date.now() - begun,
  };
}

/** @param {MediaStream | undefined} stream */
export const endStream = (stream) => stream?.getTracks().forEach((track) => track.stop());

/** A file named after its kind and time. @param {Blob} blob @param {"voice" | "video" | "photo"} name */
export function toFile(blob, name) {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");
  return new File([blob], `${name}-${stamp}.${getExtension(blob.type)}`, { type: blob.type });
}

/** @param {string} mime */
const getExtension = (mime) =>
  mime === "image/jpeg"
    ? "jpg"
    : mime === "audio/mp4"
      ? "m4a"
      : mime === "video/mp4"
        ? "mp4"
        : "webm";

/** Why microphone or camera cannot be used. @param {unknown} error @param {RecordingKind | "photo"} kind */
export function getErrorText(error, kind) {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError")
    return t(kind === "audio" ? "mic_denied" : "camera_denied");
  return t(kind === "audio" ? "mic_missing" : "camera_missing");
}

/** Reports the volume from 0 to 1, ten times a second; returns a stop function. @param {MediaStream} stream @param {(loud: number) => void} show @returns {() => void} */
function measureVolume(stream, show) {
  if (typeof AudioContext === "undefined" || stream.getAudioTracks().length === 0) return () => {};
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    show(Math.min(1, Math.sqrt(power) * 4));
  }, 100);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}

/** @param {HTMLElement} container @returns {() => void} */
function startClock(container) {
  const begun = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.floor((Date.now() - begun) / 1000);
    container.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }, 250);
  return () => clearInterval(timer);
}
