import { describe, expect, it } from "vitest";
import { checkEntryName, readLayout } from "../../../../src/mess/messe-af/layout.ts";

const REF = "2026-05-06-012-lamp";
const threadsOf = (...names: string[]) => {
  const layout = readLayout(names);
  return layout.ok ? layout.value.threads : layout.error.message;
};

describe("the layout of an archive (decision 63)", () => {
  it("an archive contains the directory of a thread, with its files ordered by number", () => {
    const files = [1000, 2, 0, 1, 999].map(
      (number) => `${REF}/${String(number).padStart(3, "0")}-${REF}.messe-af.yaml`,
    );

    expect(threadsOf(`${REF}/`, ...files, `${REF}/att-002-image-lamp.jpg`)).toEqual([
      {
        directory: REF,
        ref: REF,
        files: [files[2], files[3], files[1], files[4], files[0]],
        attachments: [`${REF}/att-002-image-lamp.jpg`],
      },
    ]);
  });

  it.each([
    ["", undefined],
    ["received/", "received"],
    ["state=received/", "received"],
    ["exchange/state=finished/", "finished"],
    ["exchange/", undefined],
    [".mess/state=received/", "received"],
    ["mess/archive/", undefined],
    ["archive/2026-01/", undefined],
    ["state=canceled/", "canceled"],
    ["state=executing/", "executing"],
  ])("an archive may contain its thread below %j", (above, folder) => {
    const name = `${above}${REF}/000-${REF}.messe-af.yaml`;

    expect(threadsOf(name)).toEqual([
      {
        ...(folder && { folder }),
        directory: `${above}${REF}`,
        ref: REF,
        files: [name],
        attachments: [],
      },
    ]);
  });

  it.each([`${REF}.messe-af.yaml`, `${REF}.messe-af`, `state=finished/${REF}.messe-af`])(
    "an archive may contain a flat file: %s",
    (name) => {
      expect(threadsOf(name)).toMatchObject([{ ref: REF, files: [name], attachments: [] }]);
    },
  );

  it("an archive may name the directory with or without the slug, and the longer name is the ref", () => {
    const short = "2026-05-06-012";

    expect(threadsOf(`${short}/000-${REF}.messe-af.yaml`)).toMatchObject([{ ref: REF }]);
    expect(threadsOf(`${REF}/000-${short}.messe-af`)).toMatchObject([{ ref: REF }]);
  });

  it("an archive may contain many threads, as the export of a household does", () => {
    const layout = threadsOf(
      "state=received/",
      `state=received/${REF}/000-${REF}.messe-af.yaml`,
      "state=finished/2026-05-06-013/000-2026-05-06-013.messe-af.yaml",
      "state=finished/2026-05-06-014.messe-af.yaml",
      "state=finished/2026-05-06-015.messe-af.yaml",
    );

    expect(layout).toMatchObject([
      { ref: REF, folder: "received" },
      { ref: "2026-05-06-013", folder: "finished" },
      { ref: "2026-05-06-014", directory: "state=finished" },
      { ref: "2026-05-06-015", directory: "state=finished" },
    ]);
  });

  it("an archive may contain a thread's file as an attachment", () => {
    const attached = `${REF}/att-001-file-other.messe-af.yaml`;

    expect(threadsOf(`${REF}/000-${REF}.messe-af.yaml`, attached)).toMatchObject([
      { attachments: [attached] },
    ]);
  });

  it.each([
    ["nothing", []],
    ["a directory alone", [`${REF}/`]],
    ["attachments without a thread file", [`${REF}/att-001-image-a.jpg`]],
    ["another thread's file", [`${REF}/000-2026-05-06-999.messe-af.yaml`]],
    ["a duplicate name", [`${REF}.messe-af`, `${REF}.messe-af`]],
    ["a duplicate thread", [`${REF}.messe-af`, `state=finished/${REF}/000-${REF}.messe-af.yaml`]],
  ])("an archive is refused with %s", (_why, names) => {
    expect(readLayout(names)).toMatchObject({ ok: false, error: { code: "bad_archive" } });
  });
});

describe("file names that are not allowed in an archive", () => {
  const inside = `${REF}/`;
  it.each([
    ["outside of the archive", "../evil.messe-af.yaml"],
    ["outside of its directory", `${inside}../evil.messe-af.yaml`],
    ["outside, in the middle of the path", `a/../../${REF}.messe-af.yaml`],
    ["the parent directory", "../"],
    ["the current directory", "./000-x.messe-af.yaml"],
    ["absolute", "/etc/passwd"],
    ["absolute, with a valid name", `/${REF}.messe-af.yaml`],
    ["a drive", `C:/${REF}.messe-af.yaml`],
    ["a drive without slash", `C:${REF}.messe-af.yaml`],
    ["a share", `//host/${REF}.messe-af.yaml`],
    ["a backslash", `..\\${REF}.messe-af.yaml`],
    ["a backslash inside", `${inside}a\\b.jpg`],
    ["with a NUL character", `${inside}a\0.jpg`],
    ["a line end", `${inside}a\n.jpg`],
    ["an escape", `${inside}a\u001b[2J.jpg`],
    ["right to left", `${inside}a\u202egpj.exe`],
    ["a look-alike slash", `${inside}a\u2215b.jpg`],
    ["an encoded slash", `${inside}..%2fevil.jpg`],
    ["a zip", `${inside}att-001-file-more.zip`],
    ["a zip in capitals", `${inside}att-001-file-more.ZIP`],
    ["a thread's archive", `${REF}.messe-af.zip`],
    ["hidden", `${inside}.env`],
    ["too deep", `${inside}more/a.jpg`],
    ["with an empty path segment", `${inside}/a.jpg`],
    ["in an unknown folder", `state=evil/${REF}.messe-af.yaml`],
    ["an unknown file at the top level", "readme.txt"],
    ["a space", `${inside}a b.jpg`],
    ["a trailing dot", `${inside}a.jpg.`],
    ["a command line option", "--help"],
    ["in a home directory", `~/${REF}.messe-af.yaml`],
    ["an alternate data stream", `${inside}a.jpg:evil`],
    ["too long", `${inside}${"a".repeat(300)}.jpg`],
    ["nothing", ""],
  ])("an archive is refused with a file name that is %s", (_why, name) => {
    const fault = checkEntryName(name);

    expect(fault).toMatchObject({ code: "bad_archive" });
    expect(fault?.message).toMatch(/^[^"]*"[ -~…]*"[^"]*$/);
    expect(readLayout([`${REF}/000-${REF}.messe-af.yaml`, name])).toMatchObject({ ok: false });
  });
});
