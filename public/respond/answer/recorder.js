/** Records audio, video and photos in the page, with a preview before use. */
import { fill, h, icon } from "../ui/dom.js";
import { showError } from "./fields.js";
import { t } from "../ui/i18n.js";
import { prefs } from "../ui/preferences.js";
import { openSheet } from "../ui/sheet.js";

/** @typedef {"audio" | "video" | "photo"} What */

const RECORDING_TYPES = {
  audio: ["audio/webm;codecs=opus", "audio/mp4", "audio/webm"],
  video: ["video/webm;codecs=vp9,opus", "video/mp4", "video/webm"],
};
/** Milliseconds; recordings of this length stay below the 100 MB limit of a file. */
const MAX_RECORDING_MS = { audio: 30 * 60_000, video: 4 * 60_000 };

/**
 * @param {What} kind
 * @param {(file: File) => void} done
 */
export function record(kind, done) {
  const container = h("div", { class: "stage" });
  const errorBox = h("div");
  const controls = h("div", { class: "row" });
  /** @type {MediaStream | undefined} */
  let stream;
  /** @type {(() => void)[]} */
  const ends = [];
  const release = () => {
    for (const end of ends.splice(0)) end();
    for (const track of stream?.getTracks() ?? []) track.stop();
    stream = undefined;
  };
  const sheet = openSheet(
    t(`record_${kind}`),
    [h("div", { class: "stack" }, container, errorBox, controls)],
    {
      closed: release,
    },
  );
  const button = (
    /** @type {string} */ kind,
    /** @type {import("../ui/dom.js").Icon} */ name,
    /** @type {string} */ label,
    /** @type {() => void} */ onClick,
  ) =>
    h(
      "button",
      { type: "button", class: kind, on: { click: onClick } },
      icon(name),
      h("span", {}, label),
    );

  const begin = async () => {
    showError(errorBox, "");
    fill(controls, h("p", { class: "faint" }, t("record_asking")));
    try {
      stream = await navigator.mediaDevices.getUserMedia(
        kind === "audio"
          ? { audio: true }
          : { audio: kind === "video", video: { facingMode: prefs.camera } },
      );
      if (!sheet.open) release();
      else if (kind === "photo") aim();
      else run(kind);
    } catch (error) {
      fill(controls);
      showError(errorBox, t(getErrorText(error, kind)));
    }
  };

  /** @param {MediaStream} isLive */
  const preview = (isLive) => {
    const video = h("video", {
      autoplay: true,
      muted: true,
      playsinline: true,
      "aria-label": t("preview"),
    });
    video.muted = true;
    video.srcObject = isLive;
    return video;
  };

  const aim = () => {
    if (!stream) return;
    const video = preview(stream);
    fill(container, video);
    const shoot = button("primary", "camera", t("shoot"), () => {
      const canvas = h("canvas", { width: video.videoWidth, height: video.videoHeight });
      canvas.getContext("2d")?.drawImage(video, 0, 0);
      canvas.toBlob((blob) => blob && finish(blob, "photo", "jpg"), "image/jpeg", 0.92);
    });
    shoot.disabled = true;
    video.addEventListener("playing", () => (shoot.disabled = false), { once: true });
    fill(controls, shoot);
  };

  /** @param {"audio" | "video"} kind */
  const run = (kind) => {
    if (!stream) return;
    const type = RECORDING_TYPES[kind].find((one) => MediaRecorder.isTypeSupported(one));
    const recorder = new MediaRecorder(stream, type ? { mimeType: type } : {});
    /** @type {Blob[]} */
    const pieces = [];
    const time = h("p", { class: "timer", role: "timer" }, "0:00");
    const level = h("meter", {
      min: 0,
      max: 1,
      value: 0,
      class: "level",
      "aria-label": t("level"),
    });
    fill(container, kind === "video" && preview(stream), time, level);
    ends.push(
      measureVolume(stream, (loud) => (level.value = loud)),
      startClock(time),
    );
    const limit = setTimeout(() => recorder.stop(), MAX_RECORDING_MS[kind]);
    ends.push(() => clearTimeout(limit));
    recorder.addEventListener("dataavailable", ({ data }) => void pieces.push(data));
    recorder.addEventListener("stop", () => {
      const mime = (recorder.mimeType || type || `${kind}/webm`).split(";")[0] ?? "";
      const blob = new Blob(pieces, { type: mime });
      release();
      if (sheet.open) review(blob, kind);
    });
    recorder.start(1_000);
    const stop = button("primary bad", "stop", t("stop"), () => recorder.stop());
    fill(controls, stop);
    stop.focus();
  };

  /** @param {Blob} blob @param {"audio" | "video"} kind */
  const review = (blob, kind) => {
    const src = URL.createObjectURL(blob);
    ends.push(() => URL.revokeObjectURL(src));
    fill(
      container,
      h(kind, { src, controls: true, playsinline: true, "aria-label": t("preview") }),
    );
    const use = button("primary", "check", t("use"), () =>
      finish(
        blob,
        kind === "audio" ? "voice" : "video",
        blob.type.includes("mp4") ? (kind === "audio" ? "m4a" : "mp4") : "webm",
      ),
    );
    fill(
      controls,
      button("secondary", "mic", t("again"), () => void begin()),
      use,
    );
    use.focus();
  };

  /** @param {Blob} blob @param {string} name @param {string} ending */
  const finish = (blob, name, ending) => {
    const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");
    sheet.close();
    done(new File([blob], `${name}-${stamp}.${ending}`, { type: blob.type }));
  };

  void begin();
}

/** @param {unknown} error @param {What} kind @returns {import("../ui/i18n.js").Word} */
function getErrorText(error, kind) {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError")
    return kind === "audio" ? "mic_denied" : "camera_denied";
  return kind === "audio" ? "mic_missing" : "camera_missing";
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
