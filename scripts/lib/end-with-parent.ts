/** Preloaded into the Worker's process: when the program that started it is gone, however it went, it ends too. */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
