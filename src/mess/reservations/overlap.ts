/**
 * Decides whether two names can mean the same thing. `?` stands for one character, `*` for any number of them within
 * a path segment, and a segment with `**` for any number of segments.
 *
 * Only what precedes the first wildcard and what follows the last one is compared, and the possible lengths: linear in
 * the names, exact for two names without wildcards. It never misses an overlap, but reports `a*b*c` and `axc`, too.
 */

/** Items of which some may stand for any number of items: segments of a path, or characters of a segment. */
interface Sequence<T> {
  /** The items before the first wildcard; all of them where there is none. */
  readonly head: readonly T[];
  /** The items after the last wildcard, last one first. */
  readonly tail: readonly T[];
  readonly minLength: number;
  readonly maxLength: number;
}

type Segment = Sequence<string>;

/** A name that is ready to be compared with many others. */
export type NamePattern = Sequence<Segment>;

/** @param name as `normalizeName` returns it */
export function parseName(name: string): NamePattern {
  const path = toSequence(name.split("/"), (segment) => segment.includes("**"));
  return { ...path, head: path.head.map(parseSegment), tail: path.tail.map(parseSegment) };
}

const parseSegment = (segment: string): Segment =>
  toSequence(Array.from(segment), (character) => character === "*");

function toSequence<T>(items: readonly T[], isWildcard: (item: T) => boolean): Sequence<T> {
  const first = items.findIndex(isWildcard);
  if (first === -1)
    return {
      head: items,
      tail: items.toReversed(),
      minLength: items.length,
      maxLength: items.length,
    };
  return {
    head: items.slice(0, first),
    tail: items.slice(items.findLastIndex(isWildcard) + 1).toReversed(),
    minLength: items.filter((item) => !isWildcard(item)).length,
    maxLength: Infinity,
  };
}

export const isOverlapping = (a: NamePattern, b: NamePattern): boolean =>
  canExpandAlike(a, b, (one, other) =>
    canExpandAlike(one, other, (x, y) => x === y || x === "?" || y === "?"),
  );

/** Whether both sequences can stand for one and the same; true in doubt. */
const canExpandAlike = <T>(
  a: Sequence<T>,
  b: Sequence<T>,
  isAlike: (a: T, b: T) => boolean,
): boolean =>
  a.minLength <= b.maxLength &&
  b.minLength <= a.maxLength &&
  isPairwise(a.head, b.head, isAlike) &&
  isPairwise(a.tail, b.tail, isAlike);

/** Compares as many items as the shorter list has. */
const isPairwise = <T>(
  a: readonly T[],
  b: readonly T[],
  isAlike: (a: T, b: T) => boolean,
): boolean => a.slice(0, b.length).every((item, index) => isAlike(item, b[index]!));
