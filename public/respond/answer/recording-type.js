/** Chooses the format of a recording. */

/** @type {Record<"audio" | "video", string[]>} */
const RECORDING_TYPES = {
  audio: ["audio/webm;codecs=opus", "audio/mp4", "audio/webm"],
  video: ["video/webm;codecs=vp9,opus", "video/mp4", "video/webm"],
};

/**
 * The first type that the browser can record, for a voice recording in the preferred format if possible; undefined leaves
 * the choice to the browser.
 * @param {"audio" | "video"} kind @param {string} audioFormat @param {(type: string) => boolean} isSupported
 */
export function pickRecordingType(kind, audioFormat, isSupported) {
  /** @param {string} type */
  const isPreferred = (type) => kind === "audio" && type.split(";")[0] === `audio/${audioFormat}`;
  const types = RECORDING_TYPES[kind].filter(isSupported);
  return types.find(isPreferred) ?? types[0];
}
