/** The demo, step by step: an agent sends a request, a person answers with a photo, the agent reads it. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Client } from "../client.ts";
import type { ReadyFile } from "../exchange/exchange.ts";
import { DEMO_AGENT_ID, DEMO_PHONE_ID } from "./demo-household.ts";
import { PlainError } from "../program.ts";
import { listZipEntries } from "../zip.ts";

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

const PHOTO = readFileSync(new URL("../../assets/fridge.jpg", import.meta.url));

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

const buildClaim = (ref: string): string => `MESS:
  - status: { re: ${ref}, code: claimed, eta: 5m, message: on my way to the kitchen }
`;

const ANSWER = `Milk (open), a yoghurt, half a wheel of cheese, four eggs, last night's lentil stew,
broccoli, two carrots, two tomatoes. In the drawer a lettuce and apples.`;

const buildAnswer = (ref: string): string => `MESS:
  - response:
      re: ${ref}
      content:
        - ${JSON.stringify(ANSWER.replaceAll("\n", " "))}
        - image: { file: fridge.jpg, name: fridge.jpg, mime: image/jpeg, size: ${PHOTO.byteLength} }
  - status: { re: ${ref}, code: completed }
`;

export interface ScenarioResult {
  ref: string;
  photo: string;
  archive: string;
}

/**
 * Plays the demo against a running exchange, prints each step and checks its result.
 * @param out directory for the photo and the archive
 * @throws PlainError at the first step with an unexpected result
 */
export async function playScenario(
  ready: ReadyFile,
  out: string,
  signal: AbortSignal,
): Promise<ScenarioResult> {
  const agent = createClient(ready.origin, ready.keys.agent, signal);
  const phone = createClient(ready.origin, ready.keys.executors[DEMO_PHONE_ID] ?? "", signal);
  mkdirSync(out, { recursive: true });

  printStep(`${DEMO_AGENT_ID}, the agent, sends a request`);
  printBlock(QUESTION);
  const { ref } = await agent.mess(QUESTION);
  assertTrue(ref, "the response contains no ref");
  printLine(`The exchange created thread ${ref}.`);

  await explainRoute(agent, ref);

  printStep(`${DEMO_PHONE_ID} lists its open requests`);
  const offered = await findOffer(phone, ref, signal);
  printLine(`${offered.status}  ${offered.ref}  "${offered.intent}"`);

  printStep(`${DEMO_PHONE_ID} claims the request`);
  printBlock(buildClaim(ref));
  await phone.mess(buildClaim(ref));
  const before = await agent.get<Thread>(`/mess/${ref}`);
  assertTrue(before.envelope.executor === DEMO_PHONE_ID, "the claim was not stored");
  printLine(
    `${DEMO_AGENT_ID} sees "${before.envelope.status}" by ${before.envelope.executor} and waits for the answer.`,
  );
  const wait = agent.get<Thread>(`/mess/${ref}/wait?cursor=${before.cursor}&timeout=45`);

  printStep(`${DEMO_PHONE_ID} answers with a photo`);
  printBlock(buildAnswer(ref));
  const photo = new File([PHOTO], "fridge.jpg", { type: "image/jpeg" });
  const answeredAt = performance.now();
  const [woken] = await Promise.all([wait, phone.mess(buildAnswer(ref), [photo])]);
  printLine(
    `${DEMO_AGENT_ID} received the answer ${Math.round(performance.now() - answeredAt)} ms after it was sent.`,
  );

  printStep(`${DEMO_AGENT_ID} reads the answer`);
  assertTrue(
    woken.envelope.status === "completed",
    `the thread's status is ${woken.envelope.status} instead of completed`,
  );
  const text = woken.messages
    .flatMap(({ MESS }) => MESS.flatMap((block) => block["response"]?.content ?? []))
    .find((entry) => typeof entry === "string");
  assertTrue(text?.includes("four eggs"), "the answer's text did not arrive");
  printLine(`"${text}"`);
  const photoFile = await fetchPhoto(agent, woken, out);

  printStep("The history of the thread");
  for (const { action, at, by, note } of woken.envelope.history)
    printLine(`${at}  ${action.padEnd(10)} ${by}${note === undefined ? "" : `: ${note}`}`);

  return { ref, photo: photoFile, archive: await saveArchive(agent, ref, out) };
}

async function explainRoute(agent: Client, ref: string): Promise<void> {
  printStep("The exchange selects an executor");
  const route = await agent.get<Route>(`/mess/${ref}/route`);
  for (const { id, reasons } of route.candidates)
    printLine(`selected ${id}: ${reasons.join("; ")}`);
  for (const { id, reason } of route.passed_over) printLine(`passed over ${id}: ${reason}`);
  assertTrue(route.candidates[0]?.id === DEMO_PHONE_ID, "the phone was not selected");
}

/** Polls the executor's list for the thread: the index is updated some milliseconds after the thread. */
async function findOffer(phone: Client, ref: string, signal: AbortSignal): Promise<Envelope> {
  for (let tries = 0; tries < 100; tries++) {
    const { threads } = await phone.get<{ threads: Envelope[] }>("/mess?state=received");
    const found = threads.find((thread) => thread.ref === ref);
    if (found) return found;
    await sleep(50, undefined, { signal });
  }
  throw new PlainError(
    "The demo failed: the thread is not in the executor's list after 5 seconds.",
  );
}

async function fetchPhoto(agent: Client, thread: Thread, out: string): Promise<string> {
  const [attached] = thread.attachments;
  assertTrue(attached, "no photo is attached");
  const bytes = await agent.bytes(attached.url);
  assertTrue(bytes.byteLength === attached.size, `the photo has ${bytes.byteLength} bytes`);
  assertTrue(hashBytes(bytes) === hashBytes(PHOTO), "the photo's bytes differ from those sent");
  const file = join(out, attached.name);
  writeFileSync(file, bytes);
  printLine(
    `${attached.name}, ${attached.mime}, ${attached.size} bytes, identical to the file sent`,
  );
  printLine(`Saved as ${file}`);
  return file;
}

async function saveArchive(agent: Client, ref: string, out: string): Promise<string> {
  printStep("The agent downloads the thread as a zip archive");
  const bytes = await agent.bytes(`/mess/${ref}/archive.zip`);
  const file = join(out, `${ref}.messe-af.zip`);
  writeFileSync(file, bytes);
  printLine(file);
  const entries = listZipEntries(bytes);
  for (const { name, bytes: content } of entries)
    printLine(`  ${String(content.byteLength).padStart(7)}  ${name}`);
  assertTrue(
    entries.some(({ name }) => name.endsWith(`000-${ref}.messe-af.yaml`)),
    "the archive does not contain the thread's file",
  );
  assertTrue(
    entries.some(({ bytes: content }) => hashBytes(content) === hashBytes(PHOTO)),
    "the archive does not contain the photo",
  );
  return file;
}

const hashBytes = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let stepCount = 0;
const printStep = (title: string): void => console.log(`\n${++stepCount}. ${title}`);
const printLine = (line: string): void => console.log(`   ${line}`);
const printBlock = (text: string): void => console.log(text.trimEnd().replaceAll(/^/gm, "   | "));

function assertTrue(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new PlainError(`The demo failed: ${otherwise}.`);
}
