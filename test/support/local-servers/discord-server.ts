/** Starts a local Discord server. */
import { createDiscord, type DiscordOptions } from "../channels/discord.ts";
import { serveLocally } from "./serve.ts";

export async function startDiscord(options: Omit<DiscordOptions, "api"> = {}) {
  const server = createDiscord(options);
  const { origin, stop } = await serveLocally(server.handle);
  server.movedTo(origin);
  return { ...server, api: origin, stop };
}
