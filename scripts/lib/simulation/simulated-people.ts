/** Simulated people: they take their time, ask back, send blurred photos, decline, or ignore their phone. */
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type SimulatedPerson, type SimulatedTask } from "./scenario.ts";
import { type Photo, createPhone, type PhoneMessage, type Servers } from "./phones.ts";
import { BLURRED_PHOTO, SHARP_PHOTO } from "./photos.ts";

/** Interval in milliseconds at which a person checks the phone. */
const POLL_MS = 40;

/** Plays the person until the signal is aborted; handles every request that reaches the phone once. */
export async function runPerson(
  person: SimulatedPerson,
  seed: number,
  tasks: readonly SimulatedTask[],
  servers: Servers,
  signal: AbortSignal,
): Promise<void> {
  const phone = createPhone(person, servers);
  const met = new Set<string>();
  const busy: Promise<void>[] = [];
  const findTask = (message: PhoneMessage) =>
    tasks.find(({ intent }) => message.text().includes(intent));
  let isTexting = false;
  while (!signal.aborted) {
    for (const message of phone()) {
      const task = findTask(message);
      // A reply by SMS applies to the newest request, so only that one is handled, and one at a time.
      const isNewest = () => phone().findLast(findTask)?.text() === message.text();
      const isLater = person.channel === "sms" && (isTexting || !isNewest());
      if (task === undefined || met.has(task.id) || isLater) continue;
      met.add(task.id);
      isTexting = true;
      const isAnswerable = () => person.channel !== "sms" || isNewest();
      busy.push(
        handleMessage(person, seed, task, message, phone, isAnswerable, signal).finally(
          () => (isTexting = false),
        ),
      );
    }
    await sleepFor(POLL_MS, signal);
  }
  await Promise.all(busy);
}

async function handleMessage(
  { id, behavior }: SimulatedPerson,
  seed: number,
  { intent, incident, question, answer }: SimulatedTask,
  message: PhoneMessage,
  phone: () => PhoneMessage[],
  isAnswerable: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const random = createRandom(seed, id, intent);
  const drawChance = (of: number): boolean => random.next() < of;
  const think = (): Promise<void> => sleepFor(random.pickBetween(...behavior.takes), signal);
  const [sleeps, declines, asks, blurs] = [
    drawChance(behavior.sleeps),
    drawChance(behavior.declines),
    drawChance(behavior.asks) || incident === "question",
    drawChance(behavior.blurs) || incident === "blurred photo",
  ];
  if (sleeps) return;
  await think();
  if (signal.aborted || !isAnswerable()) return;
  if (declines) return await message.tap("declined");
  await message.tap("claimed");
  await waitUntil(() => message.isHolder() !== undefined, signal);
  // Another executor was faster.
  if (message.isHolder() === false) return;
  if (asks) {
    const before = phone().length;
    await message.write(question);
    await waitUntil(() => phone().length > before, signal);
  }
  await think();
  if (signal.aborted) return;
  const before = phone().length;
  await message.write(answer, buildPhoto(blurs ? BLURRED_PHOTO : SHARP_PHOTO));
  if (blurs) {
    await waitUntil(() => phone().length > before, signal);
    await message.write("This one is sharper.", buildPhoto(SHARP_PHOTO));
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
