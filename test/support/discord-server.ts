/** Discord on a port of this machine. */
import { discord, type DiscordOptions } from "./discord.ts";
import { serveLocally } from "./serve.ts";

export async function startDiscord(options: Omit<DiscordOptions, "api"> = {}) {
  const server = discord(options);
  const { origin, stop } = await serveLocally(server.handle);
  server.movedTo(origin);
  return { ...server, api: origin, stop };
}
