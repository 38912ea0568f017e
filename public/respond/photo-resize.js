/**
 * Photos brought to a size that travels: decoded and drawn again, which also leaves behind where they were taken.
 * What the browser cannot decode (HEIC in most of them) goes out as it is, and the person is told.
 */

const MAX_SIDE_PX = 2_048;
const MAX_TRIES = 7;
const UNCHANGED_TYPES = ["image/gif", "image/svg+xml"];

/**
 * @param {File | Blob} file
 * @param {number} target bytes; 0 sends it as it is
 * @returns {Promise<{ blob: Blob, redrawn: boolean }>}
 */
export async function shrinkPhoto(file, target) {
  if (target === 0 || UNCHANGED_TYPES.includes(file.type)) return { blob: file, redrawn: false };
  /** @type {ImageBitmap} */
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return { blob: file, redrawn: false };
  }
  try {
    const blob = await fitPhoto(bitmap, target, file.type === "image/png" && file.size <= target);
    return { blob, redrawn: true };
  } catch {
    return { blob: file, redrawn: false };
  } finally {
    bitmap.close();
  }
}

/**
 * Lower quality first, then fewer pixels, until it fits.
 * @param {ImageBitmap} bitmap @param {number} target @param {boolean} png
 */
async function fitPhoto(bitmap, target, png) {
  let sidePx = Math.min(MAX_SIDE_PX, Math.max(bitmap.width, bitmap.height));
  let quality = 0.85;
  if (png) return await drawPhoto(bitmap, sidePx, "image/png", 1);
  let blob = await drawPhoto(bitmap, sidePx, "image/jpeg", quality);
  for (let tries = 1; blob.size > target && tries < MAX_TRIES; tries++) {
    if (quality > 0.6) quality -= 0.12;
    else sidePx = Math.round(sidePx * 0.8);
    blob = await drawPhoto(bitmap, sidePx, "image/jpeg", quality);
  }
  return blob;
}

/** @param {ImageBitmap} bitmap @param {number} sidePx @param {string} type @param {number} quality @returns {Promise<Blob>} */
function drawPhoto(bitmap, sidePx, type, quality) {
  const scale = Math.min(1, sidePx / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return Promise.reject(new Error("no canvas"));
  // JPEG has no transparency: what lies beneath is white, not black.
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("no picture"))),
      type,
      quality,
    ),
  );
}

/** The kind of entry that a file becomes. @param {string} mime @returns {MediaKind} */
export const getMediaKind = (mime) =>
  mime.startsWith("image/") && mime !== "image/svg+xml"
    ? "image"
    : mime.startsWith("audio/")
      ? "audio"
      : mime.startsWith("video/")
        ? "video"
        : "file";

/** The name with the ending of what the file has become. @param {string} name @param {string} mime */
export const renameFile = (name, mime) =>
  mime === "image/jpeg"
    ? `${name.replace(/\.(heic|heif|png|webp|bmp|tiff?|jpe?g)$/i, "")}.jpg`
    : name;
