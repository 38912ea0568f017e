/** Finds the intended word for a misspelled one. */

/** Counts the single-letter edits between two words (Levenshtein distance). */
function countEdits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + changed),
      );
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** Returns the candidate with the fewest edits, at most a third of its length; undefined when none is close. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 32) return undefined;
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: countEdits(word.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return best?.candidate;
}
