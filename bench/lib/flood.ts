/**
 * A program that posts with one key, in a process of its own, so that it does not slow the client that measures.
 * Arguments: origin, key, ref, number of connections, milliseconds between two requests of a connection. Prints its
 * counts when it is stopped.
 */
import { argv } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const [target = "", key = "", ref = "", clients = "1", pauseMs = "0"] = argv.slice(2);

const counts = { accepted: 0, refused: 0 };
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const body = JSON.stringify({ MESS: [{ followup: { re: ref, message: "again and again" } }] });
const init = {
  method: "POST",
  headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  body,
};

async function post(): Promise<void> {
  while (!stop.signal.aborted) {
    const response = await fetch(`${target}/mess`, init);
    await response.arrayBuffer();
    if (response.ok) counts.accepted += 1;
    else counts.refused += 1;
    await sleep(Number(pauseMs));
  }
}

await Promise.all(Array.from({ length: Number(clients) }, post));
console.log(JSON.stringify(counts));
