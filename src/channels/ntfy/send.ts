/**
 * Sends by ntfy, which cannot receive: a notification that opens the page of the thread. Published as JSON, because
 * headers are limited to ASCII. An edit is a message with the same sequence id; clients replace the first one with it.
 */
import { defined } from "../../mess/defined.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import { isFixedMessage } from "../shared/buttons.ts";
import { parseJsonMap, toRefusedFailure, toUnsentFailure } from "../shared/send-failures.ts";
import { buildDetails, buildHeadline, toNoticeLine } from "../shared/notice-text.ts";
import { cutLine } from "../../mess/one-line.ts";
import { isolate } from "../shared/text-direction.ts";
import { ntfyConfig, type NtfySettings } from "./config.ts";

const DEFAULT_SERVER = "https://ntfy.sh";
/** Bytes of a message. A longer one would become an attached file. */
const MAX_MESSAGE_BYTES = 4_096;
const MAX_TITLE_CHARS = 250;

const NTFY_PRIORITIES: Readonly<Record<string, number>> = {
  background: 2,
  normal: 3,
  elevated: 4,
  urgent: 5,
};
/** Makes no sound. */
const SILENT_PRIORITY = 1;

export const ntfy: Channel<NtfySettings, string> = {
  ...ntfyConfig,
  features: { edits: true, updates: false, buttons: false, maxCharacters: MAX_MESSAGE_BYTES },
  send: (sender, address, notice) => publish(sender, address, notice),
  update: async (sender, address, handle, notice) =>
    isFixedMessage(notice) ? { ok: true } : await publish(sender, address, notice, handle),
};

async function publish(
  { egress, settings, now }: SendContext<NtfySettings>,
  address: string,
  notice: Notice,
  sequence?: string,
): Promise<SendResult> {
  const { api = DEFAULT_SERVER, token } = settings;
  const { server, topic } = readTopic(address, api);
  const headers = new Headers({ "Content-Type": "application/json" });
  // A member's address may name any server. The token must only be sent to the server that it belongs to.
  const isOwnServer = new URL(server).origin === new URL(api).origin;
  if (token !== undefined && isOwnServer) headers.set("Authorization", `Bearer ${token}`);
  const { link } = notice;
  const response = await egress.send(server, {
    method: "POST",
    headers,
    body: JSON.stringify({
      topic,
      title: cutLine(buildHeadline(notice), MAX_TITLE_CHARS),
      message: buildMessage(notice),
      priority: sequence === undefined ? getPriority(notice) : SILENT_PRIORITY,
      ...(link === undefined
        ? {}
        : {
            click: link.url,
            actions: [{ action: "view", label: "Open", url: link.url, clear: true }],
          }),
      ...defined({ sequence_id: sequence }),
    }),
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { status, text } = response.value;
  if (status !== 200) return toRefusedFailure("ntfy", response.value, now, status === 410);
  const { id } = parseJsonMap(text);
  return { ok: true, ...(typeof id === "string" ? { handle: id } : {}) };
}

/** Reads a topic of the household's server, or the complete URL of a topic. */
function readTopic(address: string, server: string): { server: string; topic: string } {
  if (!URL.canParse(address)) return { server, topic: address };
  const { origin, pathname } = new URL(address);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = parts.pop() ?? "";
  return { server: [origin, ...parts, ""].join("/"), topic: decodeURIComponent(topic) };
}

const getPriority = ({ kind, priority }: Notice): number => {
  const usual = NTFY_PRIORITIES[priority] ?? 3;
  return kind === "alert" ? Math.max(4, usual) : usual;
};

const textEncoder = new TextEncoder();

/** The lines that fit. An empty message would be shown as `triggered`. */
function buildMessage(notice: Notice): string {
  const included: string[] = [];
  let bytes = 0;
  for (const line of buildDetails(notice)) {
    bytes += textEncoder.encode(line).byteLength + 1;
    if (bytes > MAX_MESSAGE_BYTES) break;
    included.push(line);
  }
  return included.length > 0
    ? included.join("\n")
    : `Requested by ${isolate(toNoticeLine(notice.requestor, 80))}`;
}
