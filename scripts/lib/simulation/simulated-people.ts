/** People as they are: they take their time, ask back, send blurred photos, say no, or sleep. */
import { setTimeout as sleep } from "node:timers/promises";
import { drawFor, type Person } from "./scenario.ts";
import { type Photo, phoneOf, type Seen, type Servers } from "./phones.ts";
import { BLURRED, SHARP } from "./photos.ts";

/** Milliseconds between two looks at the phone. */
const LOOK = 40;

/** Plays the person until the signal; every errand that reaches the phone is met once. */
export async function play(
  person: Person,
  seed: number,
  intents: readonly string[],
  servers: Servers,
  signal: AbortSignal,
): Promise<void> {
  const phone = phoneOf(person, servers);
  const met = new Set<string>();
  const busy: Promise<void>[] = [];
  while (!signal.aborted) {
    for (const message of phone()) {
      const intent = intents.find((one) => message.text().includes(one));
      if (intent === undefined || met.has(intent)) continue;
      met.add(intent);
      busy.push(meet(person, seed, intent, message, phone, signal));
    }
    await pause(LOOK, signal);
  }
  await Promise.all(busy);
}

async function meet(
  { id, ways, channel }: Person,
  seed: number,
  intent: string,
  message: Seen,
  phone: () => Seen[],
  signal: AbortSignal,
): Promise<void> {
  const random = drawFor(seed, id, intent);
  const chance = (of: number): boolean => random.next() < of;
  const think = (): Promise<void> => pause(random.between(...ways.takes), signal);
  const [sleeps, declines, asks, blurs] = [
    chance(ways.sleeps),
    chance(ways.declines),
    chance(ways.asks),
    chance(ways.blurs),
  ];
  if (sleeps) return;
  await think();
  // By text one thing is done at a time: the newest.
  if (signal.aborted || (channel === "sms" && phone().at(-1)?.text() !== message.text())) return;
  if (declines) return await message.tap("declined");
  await message.tap("claimed");
  if (asks) {
    const before = phone().length;
    await message.write("Which one do you mean?");
    await until(() => phone().length > before, signal);
  }
  await think();
  if (signal.aborted) return;
  const before = phone().length;
  await message.write("Here you are", photo(blurs ? BLURRED : SHARP));
  if (blurs) {
    await until(() => phone().length > before, signal);
    await message.write("Sharper now", photo(SHARP));
  }
  await think();
  await message.tap("completed");
}

const photo = (bytes: Photo["bytes"]): Photo => ({ name: "photo.jpg", bytes });

/** Resolves when it holds, and in any case after a while. */
async function until(holds: () => boolean, signal: AbortSignal): Promise<void> {
  for (let left = 100; left > 0 && !holds() && !signal.aborted; left--) await pause(LOOK, signal);
}

/** Ends early, without a fault, with the signal. */
export const pause = (time: number, signal: AbortSignal): Promise<void> =>
  sleep(time, undefined, { signal }).catch(() => undefined);
