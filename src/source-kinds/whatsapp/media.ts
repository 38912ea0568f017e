/** Files of WhatsApp messages: an id gives an address that is valid for five minutes. */
import type { RemoteFile } from "../../channels/chat-event.ts";
import { fetchRemoteFile, refuseLostFile } from "../../channels/shared/remote-file.ts";
import { parseJsonMap } from "../../channels/shared/send-failures.ts";
import type { Egress } from "../../egress/egress.ts";
import { refuse } from "../../mess/errors.ts";
import { buildGraphHeaders, buildGraphUrl, type WhatsappSettings } from "./config.ts";
import type { WhatsappMedia, WhatsappMessage } from "./payload.ts";

const NAMES: Readonly<Record<string, string>> = {
  image: "photo.jpg",
  video: "video.mp4",
  audio: "voice.ogg",
  sticker: "sticker.webp",
  document: "file",
};

/** The files of a message, in the order in which their names are known. */
export const listWhatsappMedia = (
  message: WhatsappMessage,
): { media: WhatsappMedia; name: string }[] =>
  (["image", "video", "audio", "document", "sticker"] as const).flatMap((type) => {
    const media = message[type];
    return media ? [{ media, name: media.filename ?? NAMES[type]! }] : [];
  });

/** Meta serves media from these hosts. The token must not be sent anywhere else. */
const isMediaHost = (hostname: string): boolean =>
  /(?:^|\.)(?:fbsbx\.com|facebook\.com|whatsapp\.net|fbcdn\.net)$/.test(hostname);

const isAllowedUrl = (url: string, settings: WhatsappSettings): boolean => {
  if (!URL.canParse(url)) return false;
  const { origin, hostname, protocol } = new URL(url);
  return (
    origin === new URL(buildGraphUrl(settings, "")).origin ||
    (protocol === "https:" && isMediaHost(hostname))
  );
};

export function toWhatsappRemoteFile(
  settings: WhatsappSettings,
  egress: Egress,
  { media, name }: { media: WhatsappMedia; name: string },
): RemoteFile {
  const mime = media.mime_type?.split(";")[0]!.trim() ?? "application/octet-stream";
  const headers = buildGraphHeaders(settings);
  const fetch = async (): ReturnType<RemoteFile["fetch"]> => {
    if (!/^[\w-]+$/.test(media.id)) return refuseLostFile("its id is not valid");
    const found = await egress.send(buildGraphUrl(settings, media.id), { headers });
    if (!found.ok) return found;
    const { status, text } = found.value;
    if (status === 429 || status >= 500)
      return refuse("internal", `WhatsApp answered ${status}`, "Try again later.");
    const { url } = parseJsonMap(text);
    if (status !== 200 || typeof url !== "string")
      return refuseLostFile(`WhatsApp answered ${status}`);
    if (!isAllowedUrl(url, settings)) return refuseLostFile("it is not stored at WhatsApp");
    return await fetchRemoteFile(egress, url, mime, headers);
  };
  return { name, mime, fetch };
}
