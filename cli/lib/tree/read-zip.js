/**
 * Unpacks an archive of the exchange from a file, one entry at a time and without holding it in memory. The exchange
 * does not compress entries.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { CliError } from "../errors.js";
import { computeCrc32 } from "./crc32.js";

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const CHUNK_BYTES = 1024 * 1024;
/** Larger archives use an extension of the format. */
const MAX_OFFSET = 0xffffffff;

/** @param {string} problem */
const brokenArchive = (problem) =>
  new CliError(`the archive from the exchange ${problem}`, {
    hint: "Repeat the command.",
    exit: "unreachable",
  });

/** @param {number} file @param {number} position @param {number} length */
function readAt(file, position, length) {
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, position) !== length) throw brokenArchive("is incomplete");
  return bytes;
}

/**
 * @typedef {object} ZipEntry
 * @property {string} name
 * @property {number} size
 * @property {number} offset of its local header
 * @property {number} crc
 */

/** @param {number} file @returns {ZipEntry[]} */
function listEntries(file) {
  const { size } = fstatSync(file);
  const tail = readAt(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES));
  // The exchange writes no comment after the directory.
  if (tail.length < END_BYTES || tail.readUInt32LE(0) !== END_SIGNATURE)
    throw brokenArchive("is incomplete");
  const start = tail.readUInt32LE(16);
  if (start === MAX_OFFSET)
    throw brokenArchive("is larger than 4 GB, which this command cannot read");
  const directory = readAt(file, start, tail.readUInt32LE(12));
  const entries = [];
  for (let at = 0; at < directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE)
      throw brokenArchive("has a broken directory");
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) =>
      directory.readUInt16LE(at + offset),
    );
    const name = directory.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + (nameLength ?? 0));
    if (directory.readUInt16LE(at + 10) !== 0) throw brokenArchive("has a compressed entry");
    entries.push({
      name,
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
      crc: directory.readUInt32LE(at + 16),
    });
    at += ENTRY_BYTES + (nameLength ?? 0) + (extraLength ?? 0) + (noteLength ?? 0);
  }
  return entries;
}

/**
 * @param {string} path of the archive
 * @param {(name: string) => string | undefined} choosePath where the entry is written; undefined leaves it out
 */
export function unpackZip(path, choosePath) {
  const file = openSync(path, "r");
  try {
    for (const entry of listEntries(file)) {
      const target = choosePath(entry.name);
      if (target !== undefined) copyEntry(file, entry, target);
    }
  } finally {
    closeSync(file);
  }
}

/** @param {number} file @param {ZipEntry} entry @param {string} target */
function copyEntry(file, { name, size, offset, crc }, target) {
  const local = readAt(file, offset, LOCAL_BYTES);
  let position = offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  const output = openSync(target, "wx");
  let found = 0;
  try {
    for (let left = size; left > 0;) {
      const chunk = readAt(file, position, Math.min(left, CHUNK_BYTES));
      writeSync(output, chunk);
      found = computeCrc32(chunk, found);
      position += chunk.length;
      left -= chunk.length;
    }
  } finally {
    closeSync(output);
  }
  if (found !== crc) throw brokenArchive(`has a damaged entry ${JSON.stringify(name)}`);
}
