/** Computes the crop frame of a photo, in fractions of the photo's sides. */

/** The smallest side of a frame. */
const MIN_SIDE = 0.08;

/** At least `min`, also where rounding has made `max` less. @param {number} value @param {number} min @param {number} max */
const clamp = (value, min, max) => Math.max(min, Math.min(max, value));

/**
 * Moves one corner, with the opposite one in place.
 * @param {PhotoEdit} edit @param {{ right: boolean, bottom: boolean }} corner @param {number} dx @param {number} dy
 * @returns {PhotoEdit}
 */
export function moveCorner(edit, { right, bottom }, dx, dy) {
  const [x, width] = moveEdge(edit.x, edit.width, right, dx);
  const [y, height] = moveEdge(edit.y, edit.height, bottom, dy);
  return { ...edit, x, y, width, height };
}

/** @param {number} start @param {number} length @param {boolean} isEnd @param {number} by @returns {[number, number]} start and length */
function moveEdge(start, length, isEnd, by) {
  const end = start + length;
  if (isEnd) return [start, clamp(end + by, start + MIN_SIDE, 1) - start];
  const moved = clamp(start + by, 0, end - MIN_SIDE);
  return [moved, end - moved];
}

/** Moves the whole frame. @param {PhotoEdit} edit @param {number} dx @param {number} dy @returns {PhotoEdit} */
export const moveFrame = (edit, dx, dy) => ({
  ...edit,
  x: clamp(edit.x + dx, 0, 1 - edit.width),
  y: clamp(edit.y + dy, 0, 1 - edit.height),
});

/** Turns the photo and its frame clockwise by a quarter. @param {PhotoEdit} edit @returns {PhotoEdit} */
export const rotateFrame = ({ turns, x, y, width, height }) => ({
  turns: (turns + 1) % 4,
  x: clamp(1 - y - height, 0, 1),
  y: x,
  width: height,
  height: width,
});
