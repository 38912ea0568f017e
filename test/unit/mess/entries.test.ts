import { describe, expect, it } from "vitest";
import { entriesSchema } from "../../../src/mess/wire/entries.ts";
import { LIMITS } from "../../../src/mess/limits.ts";

const read = (list: unknown) => entriesSchema.parse(list);
const fault = (list: unknown) => {
  const result = entriesSchema.safeParse(list);
  const [issue] = result.error?.issues ?? [];
  return { ...(issue as { params?: object } | undefined)?.params, path: issue?.path };
};
const PIXEL = "iVBORw0KGgo=";

describe("a list of entries", () => {
  it("may be a single text or a single entry", () => {
    expect(read("dusty")).toEqual(["dusty"]);
    expect(read({ image: "https://pics.example/a.png" })).toEqual([
      { image: "https://pics.example/a.png" },
    ]);
  });

  it("holds texts, whatever scalar they were written as, and no blanks", () => {
    expect(read(["dusty", 12, true, null])).toEqual(["dusty", "12", "true"]);
  });

  it("reads a sentence with a colon as text (decision 57)", () => {
    expect(read([{ Beware: "wet paint" }, { Steps: 3 }, { Open: null }])).toEqual([
      "Beware: wet paint",
      "Steps: 3",
      "Open:",
    ]);
  });

  it("keeps maps of kinds that it does not know", () => {
    const unknown = [{ recipe: { serves: 2 } }, { paint: ["red"] }, { colour: "red", litres: 2 }];
    expect(read(unknown)).toEqual(unknown);
  });

  it("takes several known kinds in one map as several entries", () => {
    expect(read([{ text: "the shelf", url: "https://shelves.example" }])).toEqual([
      { text: "the shelf" },
      { url: "https://shelves.example" },
    ]);
  });

  it.each([[[["nested"]]], [[{}]]])("refuses %j", (list) => {
    expect(fault(list)).toMatchObject({ code: "bad_field", path: [0] });
  });

  it("refuses more files than a message may have", () => {
    const files = Array.from({ length: LIMITS.attachmentsPerMessage + 1 }, () => ({
      file: "https://docs.example/a.pdf",
    }));
    expect(fault(files)).toMatchObject({ code: "too_large" });
    expect(read(files.slice(1))).toHaveLength(LIMITS.attachmentsPerMessage);
  });
});

describe("the entry", () => {
  it.each<[unknown, unknown]>([
    [{ text: 5 }, { text: "5" }],
    [{ confirmation: "Yes" }, { confirmation: true }],
    [{ confirmation: false }, { confirmation: false }],
    [
      { confirmation: { confirmed: "no", details: "door locked" } },
      { confirmation: { confirmed: false, details: "door locked" } },
    ],
    [{ error: "out of reach" }, { error: { message: "out of reach" } }],
    [{ error: { code: "E7", message: "jam" } }, { error: { code: "E7", message: "jam" } }],
    [{ location: "shed" }, { location: { name: "shed" } }],
    [{ location: { lat: "48.1", lng: 11.5 } }, { location: { lat: 48.1, lng: 11.5 } }],
    [{ json: null }, { json: null }],
    [{ structured: { rows: [1] } }, { structured: { rows: [1] } }],
    [{ ref: "home:lamp" }, { ref: "home:lamp" }],
    [{ embedding: [0.5, -1] }, { embedding: [0.5, -1] }],
  ])("%j is written %j", (given, written) => {
    expect(read([given])).toEqual([written]);
    expect(read([written])).toEqual([written]);
  });

  it.each<[unknown, string, (string | number)[]]>([
    [{ confirmation: "maybe" }, "bad_field", [1, "confirmation"]],
    [{ confirmation: { details: "x" } }, "bad_field", [1, "confirmation", "confirmed"]],
    [{ embedding: [0.5, "x"] }, "bad_field", [1, "embedding"]],
    [{ ref: "not a ref" }, "bad_ref", [1, "ref"]],
    [{ location: { lat: 91 } }, "bad_field", [1, "location", "lat"]],
    [{ error: {} }, "bad_field", [1, "error"]],
  ])("%j is refused", (given, code, path) => {
    expect(fault(["fine", given])).toMatchObject({ code, path });
  });
});

describe("a file", () => {
  it.each<[unknown, unknown]>([
    // Where it can be had stays a plain text.
    ["https://pics.example/a.png", "https://pics.example/a.png"],
    [{ uri: "http://pics.example/a.png" }, "http://pics.example/a.png"],
    [`data:image/png;base64,${PIXEL}`, `data:image/png;base64,${PIXEL}`],
    // Data in any spelling becomes one spelling.
    [`DATA:Image/PNG;charset=x;base64,iVBORw0KGgo`, `data:image/png;base64,${PIXEL}`],
    [`data:image/png;base64,iVBO\n  Rw0K\n  Ggo=\n`, `data:image/png;base64,${PIXEL}`],
    ["data:;base64,_-8=", "data:text/plain;base64,/+8="],
    ["data:text/plain,caf%C3%A9", "data:text/plain;base64,Y2Fmw6k="],
    [{ data: PIXEL, mime: "image/png" }, `data:image/png;base64,${PIXEL}`],
    [
      { data: PIXEL, mime: "image/png", name: "dot.png", size: 9 },
      { uri: `data:image/png;base64,${PIXEL}`, name: "dot.png" },
    ],
    // Described where more is known.
    [
      { size: "12", mime: "Application/PDF; v=1", name: "plan", uri: "https://docs.example/p" },
      { uri: "https://docs.example/p", name: "plan", mime: "application/pdf", size: 12 },
    ],
    [
      { file: { uri: "https://docs.example/p", name: "plan" } },
      { uri: "https://docs.example/p", name: "plan" },
    ],
    [
      { uri: "https://docs.example/p", pages: 3 },
      { uri: "https://docs.example/p", pages: 3 },
    ],
    // Stored files.
    ["upload-5f0c", { file: "upload-5f0c" }],
    [
      { file: "att-002-image-a.png", mime: "image/png", size: 3 },
      { file: "att-002-image-a.png", mime: "image/png", size: 3 },
    ],
    [
      { file: { file: "scan.pdf" }, name: "Scan" },
      { file: "scan.pdf", name: "Scan" },
    ],
    [
      { resource: "content://2031-04-05-006/att-002-image-a.png" },
      { resource: "content://2031-04-05-006/att-002-image-a.png" },
    ],
    [
      "content://2031-04-05-006/response-002/att-002-image-a.png",
      { resource: "content://2031-04-05-006/response-002/att-002-image-a.png" },
    ],
    // Paths of the sender's machine are never opened (decision 59).
    ["file:///etc/hosts", { uri: "file:///etc/hosts" }],
    ["plans/shelf.stl", { uri: "plans/shelf.stl" }],
    ["shelf.stl", { uri: "shelf.stl" }],
    [
      { file: "../shelf.stl", name: "shelf" },
      { uri: "../shelf.stl", name: "shelf" },
    ],
    [{ file: "file://shelf.stl" }, { uri: "file://shelf.stl" }],
  ])("%j is written %j", (given, written) => {
    for (const kind of ["image", "audio", "video", "file"]) {
      expect(read([{ [kind]: given }])).toEqual([{ [kind]: written }]);
      expect(read([{ [kind]: written }])).toEqual([{ [kind]: written }]);
    }
  });

  it("may have its description beside it", () => {
    expect(read([{ image: "https://pics.example/a.png", name: "shelf" }])).toEqual([
      { image: { uri: "https://pics.example/a.png", name: "shelf" } },
    ]);
  });

  it.each<[string, unknown, string, (string | number)[]]>([
    ["no source", { name: "a" }, "bad_attachment", []],
    ["two sources", { uri: "https://a.example", file: "a.png" }, "bad_attachment", []],
    ["an empty one", "  ", "bad_attachment", []],
    ["a number", 7, "bad_attachment", []],
    ["a source that is no text", { uri: ["https://a.example"] }, "bad_attachment", ["uri"]],
    ["broken base64", "data:image/png;base64,???", "bad_attachment", []],
    ["base64 of no byte", "data:image/png;base64,", "bad_attachment", []],
    ["no base64 at all", { uri: "data:image" }, "bad_attachment", ["uri"]],
    ["a broken escape", "data:text/plain,100%", "bad_attachment", []],
    ["a type that is none", "data:picture;base64,QUJD", "bad_attachment", []],
    ["data without a type", { data: PIXEL }, "bad_attachment", ["data"]],
    ["a resource that climbs", "content://2031-04-05-006/../secret", "bad_attachment", []],
    [
      "a resource without a file",
      { resource: "content://2031-04-05-006" },
      "bad_attachment",
      ["resource"],
    ],
    ["a wrong mime", { uri: "https://a.example", mime: "picture" }, "bad_field", ["mime"]],
    ["a wrong size", { uri: "https://a.example", size: -1 }, "bad_field", ["size"]],
    ["a wrong name", { uri: "https://a.example", name: " " }, "bad_field", ["name"]],
  ])("with %s is refused", (_what, given, code, path) => {
    expect(fault([{ file: given }])).toMatchObject({ code, path: [0, "file", ...path] });
  });

  it("of 768 KB in the message, measured as it stands there, is the largest (decision 60)", () => {
    const head = "data:image/png;base64,";
    const room = Math.floor((LIMITS.inlineDataBytes - head.length) / 4);
    expect(read([{ image: head + "QUJD".repeat(room) }])).toHaveLength(1);
    expect(fault([{ image: head + "QUJD".repeat(room + 1) }])).toMatchObject({
      code: "too_large",
      path: [0, "image"],
    });
  });
});
