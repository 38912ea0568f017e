/**
 * What the operator reads: one JSON line for an event. Fields are ids, codes and counts; never a body, a key, a
 * token, a link or the text of an exception, which may quote any of them.
 */
type Field = string | number | boolean | undefined;

export function log(event: string, fields: Readonly<Record<string, Field>> = {}): void {
  console.log(JSON.stringify({ event, at: new Date().toISOString(), ...fields }));
}

/** A defect: where it was thrown, without what it said. */
export function logDefect(error: unknown, fields: Readonly<Record<string, Field>> = {}): void {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: undefined };
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  log("defect", { ...fields, name, at_frames: frames.slice(0, 8).join("\n") });
}
