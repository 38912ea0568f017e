/** Defects that show more of a household than was meant: metadata of photos, members, false links. */
import type { Mutant } from "./mutant.ts";

const METADATA = ["unit/attachments/strip-metadata"];
const UPLOADS = ["respond/uploads"];
const LINKS = ["http/threads/links"];

export const PRIVACY_MUTANTS: readonly Mutant[] = [
  {
    name: "a file that was uploaded in parts keeps its metadata",
    file: "src/attachments/multipart-upload.ts",
    find: "if (object && !keepMetadata)",
    replace: "if (object && keepMetadata)",
    tests: UPLOADS,
  },
  {
    name: "a small photo in a message keeps its metadata",
    file: "src/exchange/files/message-files.ts",
    find: "await stripInlineMetadata(withoutData)",
    replace: "(stripInlineMetadata, withoutData)",
    tests: UPLOADS,
  },
  {
    name: "a large file keeps its metadata",
    file: "src/attachments/blob-store.ts",
    find: "if (!keepMetadata) await stripStoredMetadata(bucket, stored.value);",
    replace: "void stripStoredMetadata;",
    tests: ["attachments/blob-store"],
  },
  {
    name: "the samples of a track with positions stay in a video",
    file: "src/attachments/metadata/iso-media.ts",
    find: "for (const patch of await findSampleRanges(source, box, left)) patches.push(patch);",
    replace: "void [findSampleRanges, left];",
    tests: METADATA,
  },
  {
    name: "the fragments of a track with positions stay in a video",
    file: "src/attachments/metadata/iso-media.ts",
    find: 'box.type === "moof" && tracks.ids.size > 0',
    replace: 'box.type === "moof" && tracks.ids.size < 0',
    tests: METADATA,
  },
  {
    name: "positions that are written as subtitles stay in a video",
    file: "src/attachments/metadata/iso-media.ts",
    find: ', "sbtl", "subt", "text"]',
    replace: "]",
    tests: METADATA,
  },
  {
    name: "the user data of a video stays",
    file: "src/attachments/metadata/iso-media.ts",
    find: 'new Set(["udta", "meta", "uuid"])',
    replace: 'new Set(["meta", "uuid"])',
    tests: METADATA,
  },
  {
    name: "text chunks of a PNG stay",
    file: "src/attachments/metadata/png.ts",
    find: "acTL fcTL fdAT",
    replace: "acTL fcTL fdAT tEXt iTXt",
    tests: METADATA,
  },
  {
    name: "what follows the end of a JPEG stays",
    file: "src/attachments/metadata/jpeg.ts",
    find: "if (marker + 2 < size) patches.push(erase(marker + 2, size - marker - 2));",
    replace: "void size;",
    tests: METADATA,
  },
  {
    name: "the Host of a call decides the origin of a link",
    file: "src/config.ts",
    find: "getConfig(env).origin ?? new URL(request.url).origin",
    replace: "new URL(request.url).origin || getConfig(env).origin!",
    tests: LINKS,
  },
  {
    name: "a link sees the members that its thread was not offered to",
    file: "src/ingress/http/resources/threads/threads.ts",
    find: "if (call.principal.scope === undefined) {",
    replace: "if (call.principal.actor) {",
    tests: LINKS,
  },
  {
    name: "a cropped photo that cannot be drawn is sent whole",
    file: "public/respond/answer/photo-resize.js",
    find: "if (isEdited) throw error;",
    replace: "void error;",
    tests: ["unit/respond/photo-edit"],
  },
];
