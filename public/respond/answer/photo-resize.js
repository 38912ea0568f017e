/**
 * Resizes photos before upload. Redrawing also removes the location metadata, and converts HEIC on phones that take
 * such photos. A photo that the browser cannot decode is sent unchanged, and the person sees a warning.
 */

const MAX_SIDE_PX = 2_048;
const MAX_TRIES = 7;
const UNCHANGED_TYPES = ["image/gif", "image/svg+xml"];
/** Few programs can show these photos. */
const HEIC = /^image\/hei[cf]|\.hei[cf]$/i;

/** @param {File | Blob} file */
const isHeic = (file) => HEIC.test(file.type) || ("name" in file && HEIC.test(file.name));

/**
 * @param {File | Blob} file
 * @param {number | undefined} target maximum bytes; 0 keeps the size, undefined leaves the photo unchanged
 * @returns {Promise<{ blob: Blob, redrawn: boolean }>}
 */
export async function shrinkPhoto(file, target) {
  const isKept = target === undefined || (target === 0 && !isHeic(file));
  if (isKept || UNCHANGED_TYPES.includes(file.type)) return { blob: file, redrawn: false };
  /** @type {ImageBitmap} */
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return { blob: file, redrawn: false };
  }
  try {
    const full = Math.max(bitmap.width, bitmap.height);
    if (target === 0)
      return { blob: await drawPhoto(bitmap, full, "image/jpeg", 0.92), redrawn: true };
    const blob = await fitPhoto(bitmap, target, file.type === "image/png" && file.size <= target);
    return { blob, redrawn: true };
  } catch {
    return { blob: file, redrawn: false };
  } finally {
    bitmap.close();
  }
}

/**
 * Lowers the quality, then the number of pixels, until the photo fits.
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
  if (!context) return Promise.reject(new Error("no 2D canvas context"));
  // JPEG has no transparency; the default background would be black.
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the canvas could not be encoded"))),
      type,
      quality,
    ),
  );
}

/** The entry kind of a MIME type. @param {string} mime @returns {MediaKind} */
export const getMediaKind = (mime) =>
  mime.startsWith("image/") && mime !== "image/svg+xml"
    ? "image"
    : mime.startsWith("audio/")
      ? "audio"
      : mime.startsWith("video/")
        ? "video"
        : "file";

/** The file name with the extension of its new type. @param {string} name @param {string} mime */
export const renameFile = (name, mime) =>
  mime === "image/jpeg"
    ? `${name.replace(/\.(heic|heif|png|webp|bmp|tiff?|jpe?g)$/i, "")}.jpg`
    : name;
