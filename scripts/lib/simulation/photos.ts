/** Photos that people send: the demo's photo, and a truncated one that counts as blurred. */
import { readFileSync } from "node:fs";

const readAsset = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../../assets/${name}`, import.meta.url)));

export const SHARP_PHOTO = readAsset("fridge.jpg");
/** The first scan lines only. */
export const BLURRED_PHOTO = SHARP_PHOTO.slice(0, 700);

/** True for the truncated photo. */
export const isBlurred = ({ size }: { size: number }): boolean => size <= BLURRED_PHOTO.byteLength;
