/** Preloaded into wrangler's process: ends it when the program that started it is gone, even after a crash. */
import process from "node:process";

const parent = process.ppid;
const CHECK_INTERVAL_MS = 100;

/** A closed channel is not enough: wrangler closes it itself on exit. So the parent's pid is checked as well. */
process.on("disconnect", () => {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, CHECK_INTERVAL_MS).unref();
});
process.channel?.unref();
