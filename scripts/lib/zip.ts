/** The entries of a zip file, each unpacked and checked, for showing what an archive holds. */
import { unzipSync } from "fflate";

export interface ZipEntry {
  name: string;
  bytes: Uint8Array;
}

/** @throws when the bytes are no whole zip */
export const zipEntries = (zip: Uint8Array): ZipEntry[] =>
  Object.entries(unzipSync(zip)).map(([name, bytes]) => ({ name, bytes }));
