/** Previews of photos that are too large to show a model, where the deployment has the Cloudflare Images binding. */
import { log } from "../log.ts";

/** The binding is optional: without it there are no previews. */
export interface ImagesEnv {
  readonly IMAGES?: Pick<ImagesBinding, "input">;
}

const SOURCE_TYPES = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "image/heic",
  "image/heif",
  "image/avif",
];
/** Tried in this order until one fits. */
const SIDES_PX = [1_600, 1_000];
const QUALITY = 75;

export interface Preview {
  bytes: Uint8Array;
  mime: string;
}

/**
 * Scales a photo down to at most `maxBytes`; undefined where that is not possible.
 * @param open opens the photo's bytes, for each attempt
 */
export async function makePreview(
  { IMAGES }: ImagesEnv,
  mime: string,
  maxBytes: number,
  open: () => Promise<ReadableStream<Uint8Array> | undefined>,
): Promise<Preview | undefined> {
  if (!IMAGES || !SOURCE_TYPES.includes(mime)) return undefined;
  for (const side of SIDES_PX) {
    const bytes = await scaleDown(IMAGES, side, open);
    if (!bytes) return undefined;
    if (bytes.byteLength <= maxBytes) return { bytes, mime: "image/jpeg" };
  }
  return undefined;
}

async function scaleDown(
  images: Pick<ImagesBinding, "input">,
  side: number,
  open: () => Promise<ReadableStream<Uint8Array> | undefined>,
): Promise<Uint8Array | undefined> {
  const photo = await open();
  if (!photo) return undefined;
  try {
    const scaled = await images
      .input(photo)
      .transform({ width: side, height: side, fit: "scale-down" })
      .output({ format: "image/jpeg", quality: QUALITY });
    return new Uint8Array(await scaled.response().arrayBuffer());
  } catch {
    // A damaged photo, or the monthly number of transformations is used up: the caller shows a link.
    log("preview_failed", { side });
    return undefined;
  }
}
