/** Starts a local Google Chat server. */
import { createGoogleChat, type GoogleChatOptions } from "../channels/google-chat.ts";
import { serveLocally } from "./serve.ts";

export async function startGoogleChat(options: Omit<GoogleChatOptions, "api"> = {}) {
  const server = createGoogleChat(options);
  const { origin, stop } = await serveLocally(server.handle);
  server.movedTo(origin);
  return { ...server, api: origin, stop };
}
