/** The geometry of the crop frame, and photos that cannot be drawn. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

interface Edit {
  turns: number;
  x: number;
  y: number;
  width: number;
  height: number;
}
type Move = (edit: Edit, dx: number, dy: number) => Edit;

/** The pages are plain modules without type declarations. */
const load = async <T>(name: string) =>
  (await import(`../../../public/respond/answer/${name}.js`)) as unknown as T;

const { moveCorner, moveFrame, rotateFrame } = await load<{
  moveCorner: (edit: Edit, corner: object, dx: number, dy: number) => Edit;
  moveFrame: Move;
  rotateFrame: (edit: Edit) => Edit;
}>("photo-frame");
const { shrinkPhoto, WHOLE_PHOTO } = await load<{
  shrinkPhoto: (file: File, target: number | undefined, edit?: Edit) => Promise<object>;
  WHOLE_PHOTO: Edit;
}>("photo-resize");

const by = fc.double({ min: -2, max: 2, noNaN: true });
const corner = fc.record({ right: fc.boolean(), bottom: fc.boolean() });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("corner" as const), corner, dx: by, dy: by }),
    fc.record({ kind: fc.constant("frame" as const), dx: by, dy: by }),
    fc.record({ kind: fc.constant("turn" as const) }),
  ),
  { maxLength: 12 },
);

const TOLERANCE = 1e-9;
const round = (value: number) => Math.round(value * 1e6) / 1e6;

describe("the crop frame of a photo", () => {
  it("the frame stays inside of the photo and keeps a smallest size, whatever moves it", () => {
    fc.assert(
      fc.property(steps, (moves) => {
        let edit = WHOLE_PHOTO;
        for (const move of moves)
          edit =
            move.kind === "corner"
              ? moveCorner(edit, move.corner, move.dx, move.dy)
              : move.kind === "frame"
                ? moveFrame(edit, move.dx, move.dy)
                : rotateFrame(edit);

        const { x, y, width, height } = edit;
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1 + TOLERANCE);
        expect(Math.min(width, height)).toBeGreaterThan(0.07);
      }),
    );
  });

  it("a corner moves with the opposite corner in place", () => {
    const edit = moveCorner(WHOLE_PHOTO, { right: false, bottom: true }, 0.25, -0.5);

    expect(edit).toEqual({ turns: 0, x: 0.25, y: 0, width: 0.75, height: 0.5 });
  });

  it("a quarter turn takes the upper left part to the upper right, and four turns are none", () => {
    const edit = { turns: 0, x: 0, y: 0, width: 0.5, height: 0.25 };

    expect(rotateFrame(edit)).toEqual({ turns: 1, x: 0.75, y: 0, width: 0.25, height: 0.5 });
    const around = rotateFrame(rotateFrame(rotateFrame(rotateFrame(edit))));
    expect(Object.values(around).map(round)).toEqual(Object.values(edit).map(round));
  });
});

describe("a photo that cannot be drawn", () => {
  // Node has no `createImageBitmap`, so every photo fails to be read.
  const photo = new File(["no pixels"], "door.jpg", { type: "image/jpeg" });

  it("a photo that cannot be drawn is sent unchanged only if nothing was cropped away", async () => {
    const cropped = { ...WHOLE_PHOTO, width: 0.5 };

    expect(await shrinkPhoto(photo, 500_000)).toEqual({ blob: photo, redrawn: false });
    await expect(shrinkPhoto(photo, 500_000, cropped)).rejects.toThrow();
    await expect(shrinkPhoto(photo, undefined, cropped)).rejects.toThrow();
  });
});
