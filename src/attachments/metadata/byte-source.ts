/** Random access to the bytes of a file. */

export interface ByteSource {
  /** Bytes of the file. */
  readonly size: number;
  /** Returns `length` bytes from `at`; fewer at the end of the file, none after it. */
  read(at: number, length: number): Promise<Uint8Array>;
}

export const readFromMemory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (at, length) => bytes.subarray(at, at + length),
});

/** Limits the calls that a file can cause: after `calls` reads, a read returns no bytes. */
export function limitReads(source: ByteSource, calls: number): ByteSource {
  let left = calls;
  return {
    size: source.size,
    read: async (at, length) => (left-- > 0 ? await source.read(at, length) : new Uint8Array()),
  };
}
