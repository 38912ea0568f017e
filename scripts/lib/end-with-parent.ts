/** Preloaded into wrangler's process: when the program that started it is gone, however it went, it ends too. */
import process from "node:process";

const parent = process.ppid;
const CHECK_INTERVAL_MS = 100;

/** A closed channel alone does not tell: wrangler closes it itself as it ends. */
process.on("disconnect", () => {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, CHECK_INTERVAL_MS).unref();
});
process.channel?.unref();
