/** Simulated people: they take their time, ask back, send blurred photos, decline, or ignore their phone. */
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type SimulatedPerson } from "./scenario.ts";
import { type Photo, createPhone, type PhoneMessage, type Servers } from "./phones.ts";
import { BLURRED_PHOTO, SHARP_PHOTO } from "./photos.ts";

/** Interval in milliseconds at which a person checks the phone. */
const POLL_MS = 40;

/** Plays the person until the signal is aborted; handles every request that reaches the phone once. */
export async function runPerson(
  person: SimulatedPerson,
  seed: number,
  intents: readonly string[],
  servers: Servers,
  signal: AbortSignal,
): Promise<void> {
  const phone = createPhone(person, servers);
  const met = new Set<string>();
  const busy: Promise<void>[] = [];
  while (!signal.aborted) {
    for (const message of phone()) {
      const intent = intents.find((one) => message.text().includes(one));
      if (intent === undefined || met.has(intent)) continue;
      met.add(intent);
      busy.push(handleMessage(person, seed, intent, message, phone, signal));
    }
    await sleepFor(POLL_MS, signal);
  }
  await Promise.all(busy);
}

async function handleMessage(
  { id, behavior, channel }: SimulatedPerson,
  seed: number,
  intent: string,
  message: PhoneMessage,
  phone: () => PhoneMessage[],
  signal: AbortSignal,
): Promise<void> {
  const random = createRandom(seed, id, intent);
  const drawChance = (of: number): boolean => random.next() < of;
  const think = (): Promise<void> => sleepFor(random.pickBetween(...behavior.takes), signal);
  const [sleeps, declines, asks, blurs] = [
    drawChance(behavior.sleeps),
    drawChance(behavior.declines),
    drawChance(behavior.asks),
    drawChance(behavior.blurs),
  ];
  if (sleeps) return;
  await think();
  // An SMS has no buttons, so a reply applies to the newest request only.
  if (signal.aborted || (channel === "sms" && phone().at(-1)?.text() !== message.text())) return;
  if (declines) return await message.tap("declined");
  await message.tap("claimed");
  if (asks) {
    const before = phone().length;
    await message.write("Which one do you mean?");
    await waitUntil(() => phone().length > before, signal);
  }
  await think();
  if (signal.aborted) return;
  const before = phone().length;
  await message.write("Here you are", buildPhoto(blurs ? BLURRED_PHOTO : SHARP_PHOTO));
  if (blurs) {
    await waitUntil(() => phone().length > before, signal);
    await message.write("This one is sharper", buildPhoto(SHARP_PHOTO));
  }
  await think();
  await message.tap("completed");
}

const buildPhoto = (bytes: Photo["bytes"]): Photo => ({ name: "photo.jpg", bytes });

/** Resolves when the condition holds, or after 4 seconds. */
async function waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void> {
  for (let left = 100; left > 0 && !holds() && !signal.aborted; left--)
    await sleepFor(POLL_MS, signal);
}

/** Resolves early, without an error, if the signal is aborted. */
export const sleepFor = (time: number, signal: AbortSignal): Promise<void> =>
  sleep(time, undefined, { signal }).catch(() => undefined);
