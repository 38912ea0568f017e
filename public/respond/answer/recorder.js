/** Records audio, video and photos in a sheet, with a preview before use. */
import { fill, h, icon } from "../ui/dom.js";
import { showError } from "./fields.js";
import { t } from "../ui/i18n.js";
import { prefs } from "../ui/preferences.js";
import { openSheet } from "../ui/sheet.js";
import { createMeters, endStream, getErrorText, startRecording, toFile } from "./recording.js";

/** @typedef {"audio" | "video" | "photo"} What */

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
  /** @type {import("./recording.js").Recording | undefined} */
  let recording;
  let reviewed = "";
  const release = () => {
    recording?.cancel();
    endStream(stream);
    URL.revokeObjectURL(reviewed);
  };
  const sheet = openSheet(
    t(`record_${kind}`),
    [
      h(
        "div",
        { class: "stack" },
        container,
        errorBox,
        controls,
        kind === "audio" && h("p", { class: "faint" }, t("hold_tip", { button: t("voice") })),
      ),
    ],
    { closed: release },
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
    URL.revokeObjectURL(reviewed);
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
      showError(errorBox, getErrorText(error, kind));
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
      canvas.toBlob((blob) => blob && finish(blob, "photo"), "image/jpeg", 0.92);
    });
    shoot.disabled = true;
    video.addEventListener("playing", () => (shoot.disabled = false), { once: true });
    fill(controls, shoot);
  };

  /** @param {"audio" | "video"} kind */
  const run = (kind) => {
    if (!stream) return;
    const meters = createMeters();
    fill(container, kind === "video" && preview(stream), meters.time, meters.level);
    recording = startRecording(stream, kind, meters, (blob) => {
      if (sheet.open && blob) review(blob, kind);
    });
    const stop = button("primary bad", "stop", t("stop"), () => recording?.stop());
    fill(controls, stop);
    stop.focus();
  };

  /** @param {Blob} blob @param {"audio" | "video"} kind */
  const review = (blob, kind) => {
    reviewed = URL.createObjectURL(blob);
    fill(
      container,
      h(kind, { src: reviewed, controls: true, playsinline: true, "aria-label": t("preview") }),
    );
    const use = button("primary", "check", t("use"), () =>
      finish(blob, kind === "audio" ? "voice" : "video"),
    );
    fill(
      controls,
      button("secondary", kind === "audio" ? "mic" : "video", t("again"), () => void begin()),
      use,
    );
    use.focus();
  };

  /** @param {Blob} blob @param {"voice" | "video" | "photo"} name */
  const finish = (blob, name) => {
    sheet.close();
    done(toFile(blob, name));
  };

  void begin();
}
