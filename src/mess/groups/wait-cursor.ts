/**
 * Cursors of waits, such as `17-1x9k2a`: a position in a group, and a mark of the group and the member. Positions mean
 * nothing elsewhere, so a cursor of another group or member would skip messages silently.
 */

export interface CursorOwner {
  group: string;
  /** Key of the member. */
  member: string;
}

export interface WaitCursor {
  position: number;
  /** Absent in the cursor `0`, the beginning of any group. */
  mark?: string;
}

const CURSOR_PATTERN = /^(\d{1,12})-([0-9a-z]{1,7})$/;
const START_CURSOR = "0";
export const WAIT_CURSOR_CHARS = 20;

/** FNV-1a with 32 bits. It finds mistakes, and protects nothing: the group's object checks who may read. */
function computeMark({ group, member }: CursorOwner): string {
  let hash = 0x81_1c_9d_c5;
  for (const byte of new TextEncoder().encode(`${group}/${member}`))
    hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}

export const formatWaitCursor = (position: number, owner: CursorOwner): string =>
  `${position}-${computeMark(owner)}`;

/** Undefined for anything that is no cursor. */
export function parseWaitCursor(text: string): WaitCursor | undefined {
  if (text === START_CURSOR) return { position: 0 };
  if (text.length > WAIT_CURSOR_CHARS) return undefined;
  const [, position, mark] = CURSOR_PATTERN.exec(text) ?? [];
  return mark === undefined ? undefined : { position: Number(position), mark };
}

export const isCursorOf = ({ mark }: WaitCursor, owner: CursorOwner): boolean =>
  mark === undefined || mark === computeMark(owner);
