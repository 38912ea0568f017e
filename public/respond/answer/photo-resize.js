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

/** The whole photo, not turned. @type {PhotoEdit} */
export const WHOLE_PHOTO = { turns: 0, x: 0, y: 0, width: 1, height: 1 };

/** @param {PhotoEdit} edit */
export const isWhole = ({ turns, width, height }) => turns === 0 && width === 1 && height === 1;

/** Reads a photo as its EXIF orientation says. @param {Blob} blob */
export const readPhoto = (blob) => createImageBitmap(blob, { imageOrientation: "from-image" });

/**
 * Throws if an edited photo cannot be drawn, since the part that was cropped away must not be sent.
 * @param {File | Blob} file
 * @param {number | undefined} target maximum bytes; 0 keeps the size, undefined leaves the photo unchanged
 * @param {PhotoEdit} [edit] an edited photo is always drawn
 * @returns {Promise<{ blob: Blob, redrawn: boolean }>}
 */
export async function shrinkPhoto(file, target, edit = WHOLE_PHOTO) {
  const isEdited = !isWhole(edit);
  const isKept = target === undefined || (target === 0 && !isHeic(file));
  if (!isEdited && (isKept || UNCHANGED_TYPES.includes(file.type)))
    return { blob: file, redrawn: false };
  /** @type {ImageBitmap | undefined} */
  let bitmap;
  try {
    bitmap = await readPhoto(file);
    const isPng = file.type === "image/png" && (!target || file.size <= target);
    return { blob: await encodePhoto(bitmap, target ?? 0, isPng, edit), redrawn: true };
  } catch (error) {
    if (isEdited) throw error;
    return { blob: file, redrawn: false };
  } finally {
    bitmap?.close();
  }
}

/**
 * Lowers the quality, then the number of pixels, until the photo fits.
 * @param {ImageBitmap} bitmap @param {number} target maximum bytes, or 0 @param {boolean} isPng @param {PhotoEdit} edit
 */
async function encodePhoto(bitmap, target, isPng, edit) {
  const draw = (/** @type {number} */ sidePx) => drawView(bitmap, edit, sidePx, !isPng);
  if (target === 0) {
    const whole = draw(Infinity);
    return isPng ? encode(whole, "image/png", 1) : encode(whole, "image/jpeg", 0.92);
  }
  let canvas = draw(MAX_SIDE_PX);
  if (isPng) return await encode(canvas, "image/png", 1);
  let sidePx = Math.max(canvas.width, canvas.height);
  let quality = 0.85;
  let blob = await encode(canvas, "image/jpeg", quality);
  for (let tries = 1; blob.size > target && tries < MAX_TRIES; tries++) {
    if (quality > 0.6) quality -= 0.12;
    else canvas = draw((sidePx = Math.round(sidePx * 0.8)));
    blob = await encode(canvas, "image/jpeg", quality);
  }
  return blob;
}

/**
 * Draws the turned part of a photo, scaled down so that no side is longer than `sidePx`.
 * @param {ImageBitmap | HTMLCanvasElement} photo @param {PhotoEdit} edit @param {number} sidePx
 * @param {boolean} [opaque] JPEG has no transparency; its default background would be black
 */
export function drawView(photo, { turns, x, y, width, height }, sidePx, opaque = false) {
  const isUpright = turns % 2 === 0;
  const fullWidth = isUpright ? photo.width : photo.height;
  const fullHeight = isUpright ? photo.height : photo.width;
  const partWidth = fullWidth * width;
  const partHeight = fullHeight * height;
  const scale = Math.min(1, sidePx / Math.max(partWidth, partHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(partWidth * scale));
  canvas.height = Math.max(1, Math.round(partHeight * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D canvas context");
  if (opaque) {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.scale(canvas.width / partWidth, canvas.height / partHeight);
  context.translate(fullWidth * (0.5 - x), fullHeight * (0.5 - y));
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(photo, -photo.width / 2, -photo.height / 2);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas @param {string} type @param {number} quality @returns {Promise<Blob>} */
const encode = (canvas, type, quality) =>
  new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the canvas could not be encoded"))),
      type,
      quality,
    ),
  );

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
