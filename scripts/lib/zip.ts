/** Unpacks and checks the entries of a zip file. */
import { unzipSync } from "fflate";

export interface ZipEntry {
  name: string;
  bytes: Uint8Array;
}

/** @throws if the bytes are not a complete zip file */
export const listZipEntries = (zip: Uint8Array): ZipEntry[] =>
  Object.entries(unzipSync(zip)).map(([name, bytes]) => ({ name, bytes }));
