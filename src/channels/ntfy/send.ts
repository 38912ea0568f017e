/**
 * ntfy, out only: a notification that opens the thread's page. Published as JSON, since headers carry ASCII alone. An
 * edit is a message with the same sequence id, which clients put in the place of the first.
 */
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { staysAsSaid } from "../shared/buttons.ts";
import { mapOf, refusedBy, unsent } from "../shared/send-failures.ts";
import { details, headline, oneLine } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS, type NtfySettings } from "../schemas.ts";

const SERVER = "https://ntfy.sh";
/** Bytes of a message; a longer one would become a file. */
const MOST = 4_096;
const LONGEST_TITLE = 250;

const PRIORITIES: Readonly<Record<string, number>> = {
  background: 2,
  normal: 3,
  elevated: 4,
  urgent: 5,
};
/** Without a sound. */
const SILENT = 1;

export const ntfy: Channel<NtfySettings, string> = {
  ...CHANNEL_SCHEMAS.ntfy,
  kind: "ntfy",
  carries: { edits: true, updates: false, buttons: false, characters: MOST },
  send: (sender, address, notice) => publish(sender, address, notice),
  update: async (sender, address, handle, notice) =>
    staysAsSaid(notice) ? { ok: true } : await publish(sender, address, notice, handle),
};

async function publish(
  { egress, settings, now }: Sender<NtfySettings>,
  address: string,
  notice: Notice,
  sequence?: string,
): Promise<Sent> {
  const { server, topic } = whereOf(address, settings.api ?? SERVER);
  const headers = new Headers({ "Content-Type": "application/json" });
  if (settings.token !== undefined) headers.set("Authorization", `Bearer ${settings.token}`);
  const { link } = notice;
  const answer = await egress.send(server, {
    method: "POST",
    headers,
    body: JSON.stringify({
      topic,
      title: oneLine(headline(notice), LONGEST_TITLE),
      message: messageOf(notice),
      priority: sequence === undefined ? priorityOf(notice) : SILENT,
      ...(link === undefined
        ? {}
        : {
            click: link.url,
            actions: [{ action: "view", label: "Open", url: link.url, clear: true }],
          }),
      ...(sequence === undefined ? {} : { sequence_id: sequence }),
    }),
  });
  if (!answer.ok) return unsent(answer.error);
  const { status, text } = answer.value;
  if (status !== 200) return refusedBy("ntfy", answer.value, now, status === 410);
  const { id } = mapOf(text);
  return { ok: true, ...(typeof id === "string" ? { handle: id } : {}) };
}

/** A topic of the household's server, or the whole address of one. */
function whereOf(address: string, server: string): { server: string; topic: string } {
  if (!URL.canParse(address)) return { server, topic: address };
  const { origin, pathname } = new URL(address);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = parts.pop() ?? "";
  return { server: [origin, ...parts, ""].join("/"), topic: decodeURIComponent(topic) };
}

const priorityOf = ({ kind, priority }: Notice): number => {
  const usual = PRIORITIES[priority] ?? 3;
  return kind === "alert" ? Math.max(4, usual) : usual;
};

const utf8 = new TextEncoder();

/** The lines that fit; an empty message would be shown as `triggered`. */
function messageOf(notice: Notice): string {
  const said: string[] = [];
  let bytes = 0;
  for (const line of details(notice)) {
    bytes += utf8.encode(line).byteLength + 1;
    if (bytes > MOST) break;
    said.push(line);
  }
  return said.length > 0 ? said.join("\n") : `Asked by ${oneLine(notice.requestor, 80)}`;
}
