/** What people photograph: the picture that the demo shows, and one in which nothing is to be seen. */
import { readFileSync } from "node:fs";

const readAsset = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../../assets/${name}`, import.meta.url)));

export const SHARP_PHOTO = readAsset("fridge.jpg");
/** The first scan lines only. */
export const BLURRED_PHOTO = SHARP_PHOTO.slice(0, 700);

/** How the simulated agent tells one from the other. */
export const isBlurred = ({ size }: { size: number }): boolean => size <= BLURRED_PHOTO.byteLength;
