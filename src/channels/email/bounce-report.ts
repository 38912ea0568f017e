/** Reads reports of mails that could not be delivered (RFC 3464). */
import { defined } from "../../mess/defined.ts";
import type { Email } from "postal-mime";

export interface BounceReport {
  /** The recipient of the mail. */
  readonly address: string;
  /** `5.1.1` (RFC 3463). */
  readonly status: string;
  /** The address does not exist, so nothing can ever be delivered there. */
  readonly isPermanent: boolean;
  /** The returned mail or its header, which identifies the thread. */
  readonly original: string;
  /** The returned mail's `Message-ID`, without its brackets. */
  readonly messageId?: string;
}

const DELIVERY_STATUS_TYPE = "message/delivery-status";
const ORIGINAL_TYPES = ["message/rfc822", "text/rfc822-headers", "message/global"];
/** Maximum characters of a report, which has some lines for each recipient. */
const REPORT_CHARS = 64 * 1024;
/** Maximum characters that are read of the returned mail: its header. */
const MAX_HEADER_CHARS = 16_384;

/** Undefined if the mail is not a report of a final failure. */
export function readBounceReport({
  attachments,
}: Pick<Email, "attachments">): BounceReport | undefined {
  const report = attachments.find(({ mimeType }) => mimeType === DELIVERY_STATUS_TYPE);
  if (!report) return undefined;
  const text = decodeText(report.content);
  if (text.length > REPORT_CHARS) return undefined;
  const readField = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.+)$`, "im").exec(text)?.[1]?.trim();
  const status = /\d\.\d{1,3}\.\d{1,3}/.exec(readField("Status") ?? "")?.[0] ?? "5.0.0";
  const recipient = readField("Original-Recipient") ?? readField("Final-Recipient");
  const address = recipient?.replace(/^[^;]*;\s*/, "").replaceAll(/[<>]/g, "");
  if (readField("Action")?.toLowerCase() !== "failed" || address === undefined) return undefined;
  const original = attachments
    .filter(({ mimeType }) => ORIGINAL_TYPES.includes(mimeType))
    .map(({ content }) => decodeText(content).slice(0, MAX_HEADER_CHARS))
    .join("\n");
  const messageId = /^Message-ID:\s*<([^<>\s]{1,512})>/im.exec(original)?.[1];
  return {
    address,
    status,
    isPermanent: /^5\.1\.(?:1|2|3|6|10)$|^5\.2\.1$/.test(status),
    original,
    ...defined({ messageId }),
  };
}

const decodeText = (content: ArrayBuffer | Uint8Array | string): string =>
  typeof content === "string" ? content : new TextDecoder().decode(content);
