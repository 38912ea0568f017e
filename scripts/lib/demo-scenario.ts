/** The main job, told step by step: an agent asks, a person's phone answers with a photo, the agent reads it. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { client, type Client } from "./client.ts";
import type { Ready } from "./exchange.ts";
import { AGENT, PHONE } from "./demo-household.ts";
import { Plain } from "./program.ts";
import { zipEntries } from "./zip.ts";

interface Envelope {
  ref: string;
  intent: string;
  status: string;
  executor: string | null;
  history: { action: string; at: string; by: string; note?: string }[];
}

type Entry = string | Record<string, unknown>;

interface Thread {
  envelope: Envelope;
  messages: { from: string; MESS: Record<string, { content?: Entry[] }>[] }[];
  attachments: { name: string; mime: string; size: number; url: string }[];
  cursor: number;
}

interface Route {
  candidates: { id: string; reasons: string[] }[];
  passed_over: { id: string; reason: string }[];
}

const PHOTO = readFileSync(new URL("../assets/fridge.jpg", import.meta.url));

const QUESTION = `MESS:
  - request:
      id: fridge-check
      intent: what's in the fridge?
      requires: [take-photo, home-kitchen-access]
      context:
        - Planning tonight's dinner for two, one of us eats no meat
        - If the milk is open, say so
      response_hint: [image, text]
`;

const claim = (ref: string): string => `MESS:
  - status: { re: ${ref}, code: claimed, eta: 5m, message: on my way to the kitchen }
`;

const ANSWER = `Milk (open), a yoghurt, half a wheel of cheese, four eggs, last night's lentil stew,
broccoli, two carrots, two tomatoes. In the drawer a lettuce and apples.`;

const answer = (ref: string): string => `MESS:
  - response:
      re: ${ref}
      content:
        - ${JSON.stringify(ANSWER.replaceAll("\n", " "))}
        - image: { file: fridge.jpg, name: fridge.jpg, mime: image/jpeg, size: ${PHOTO.byteLength} }
  - status: { re: ${ref}, code: completed }
`;

export interface Told {
  ref: string;
  photo: string;
  archive: string;
}

/**
 * Plays the story against a running exchange, printing each step as it happens, and checks what it tells.
 * @param out directory that photo and archive are written to
 * @throws at the first step that does not come out as told
 */
export async function playStory(ready: Ready, out: string, signal: AbortSignal): Promise<Told> {
  const agent = client(ready.origin, ready.keys.agent, signal);
  const phone = client(ready.origin, ready.keys.executors[PHONE] ?? "", signal);
  mkdirSync(out, { recursive: true });

  step(`${AGENT}, the agent, asks`);
  show(QUESTION);
  const { ref } = await agent.mess(QUESTION);
  must(ref, "the exchange gave no ref");
  say(`the exchange made thread ${ref}`);

  await explainRoute(agent, ref);

  step(`${PHONE} looks at what there is to do`);
  const offered = await offer(phone, ref, signal);
  say(`${offered.status}  ${offered.ref}  "${offered.intent}"`);

  step(`${PHONE} claims it`);
  show(claim(ref));
  await phone.mess(claim(ref));
  const before = await agent.get<Thread>(`/mess/${ref}`);
  must(before.envelope.executor === PHONE, "the claim was not kept");
  say(`${AGENT} sees: ${before.envelope.status} by ${before.envelope.executor}, and waits`);
  const wait = agent.get<Thread>(`/mess/${ref}/wait?cursor=${before.cursor}&timeout=45`);

  step(`${PHONE} answers with a photo`);
  show(answer(ref));
  const photo = new File([PHOTO], "fridge.jpg", { type: "image/jpeg" });
  const answeredAt = performance.now();
  const [woken] = await Promise.all([wait, phone.mess(answer(ref), [photo])]);
  say(`${AGENT} woke ${Math.round(performance.now() - answeredAt)} ms after the answer was sent`);

  step(`${AGENT} reads the answer`);
  must(woken.envelope.status === "completed", `the thread is ${woken.envelope.status}`);
  const text = woken.messages
    .flatMap(({ MESS }) => MESS.flatMap((block) => block["response"]?.content ?? []))
    .find((entry) => typeof entry === "string");
  must(text?.includes("four eggs"), "the answer's text did not arrive");
  say(`"${text}"`);
  const photoFile = await fetchPhoto(agent, woken, out);

  step("What happened");
  for (const { action, at, by, note } of woken.envelope.history)
    say(`${at}  ${action.padEnd(10)} ${by}${note === undefined ? "" : `: ${note}`}`);

  return { ref, photo: photoFile, archive: await takeArchive(agent, ref, out) };
}

async function explainRoute(agent: Client, ref: string): Promise<void> {
  step("The exchange chose whom to ask");
  const route = await agent.get<Route>(`/mess/${ref}/route`);
  for (const { id, reasons } of route.candidates) say(`asked ${id}: ${reasons.join("; ")}`);
  for (const { id, reason } of route.passed_over) say(`not ${id}: ${reason}`);
  must(route.candidates[0]?.id === PHONE, "the phone was not asked");
}

/** The thread in the executor's list, which follows the record within milliseconds. */
async function offer(phone: Client, ref: string, signal: AbortSignal): Promise<Envelope> {
  for (let tries = 0; tries < 100; tries++) {
    const { threads } = await phone.get<{ threads: Envelope[] }>("/mess?state=received");
    const found = threads.find((thread) => thread.ref === ref);
    if (found) return found;
    await sleep(50, undefined, { signal });
  }
  throw new Plain("the thread did not show up in the executor's list");
}

async function fetchPhoto(agent: Client, thread: Thread, out: string): Promise<string> {
  const [attached] = thread.attachments;
  must(attached, "no photo is attached");
  const bytes = await agent.bytes(attached.url);
  must(bytes.byteLength === attached.size, `the photo has ${bytes.byteLength} bytes`);
  must(digest(bytes) === digest(PHOTO), "the photo's bytes differ from those sent");
  const file = join(out, attached.name);
  writeFileSync(file, bytes);
  say(`${attached.name}, ${attached.mime}, ${attached.size} bytes, the same as sent`);
  say(`saved as ${file}`);
  return file;
}

async function takeArchive(agent: Client, ref: string, out: string): Promise<string> {
  step("The thread is taken away as files");
  const bytes = await agent.bytes(`/mess/${ref}/archive.zip`);
  const file = join(out, `${ref}.messe-af.zip`);
  writeFileSync(file, bytes);
  say(file);
  const entries = zipEntries(bytes);
  for (const { name, bytes: content } of entries)
    say(`  ${String(content.byteLength).padStart(7)}  ${name}`);
  must(
    entries.some(({ name }) => name.endsWith(`000-${ref}.messe-af.yaml`)),
    "the archive lacks the thread's file",
  );
  must(
    entries.some(({ bytes: content }) => digest(content) === digest(PHOTO)),
    "the archive lacks the photo",
  );
  return file;
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let steps = 0;
const step = (title: string): void => console.log(`\n${++steps}. ${title}`);
const say = (line: string): void => console.log(`   ${line}`);
const show = (text: string): void => console.log(text.trimEnd().replaceAll(/^/gm, "   | "));

function must(held: unknown, otherwise: string): asserts held {
  if (!held) throw new Plain(`The demo failed: ${otherwise}.`);
}
