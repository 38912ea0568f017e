/**
 * The spelling of statuses in responses to MESS clients. Some write `in-progress`, `needs-input` and `rejected`; they get
 * the same back if they ask so, or if they wrote so in the same call.
 */
import * as z from "zod";
import type { Status } from "../../../../mess/status.ts";

export const STATUS_STYLES = ["snake", "hyphen"] as const;
export type StatusStyle = (typeof STATUS_STYLES)[number];

export const statusStyleSchema = z
  .enum(STATUS_STYLES)
  .describe(
    "hyphen: statuses as in-progress, needs-input and rejected; also Prefer: status=hyphen.",
  )
  .exactOptional();

const isHyphenated = (text: string): boolean =>
  text.includes("-") || text.trim().toLowerCase() === "rejected";

/** @param sent the statuses as the caller wrote them in this call */
export function chooseStatusStyle(
  request: Request,
  asked: StatusStyle | undefined,
  ...sent: readonly (string | undefined)[]
): StatusStyle {
  if (asked !== undefined) return asked;
  const preference = /(?:^|[,;\s])status\s*=\s*"?(snake|hyphen)/i
    .exec(request.headers.get("Prefer") ?? "")?.[1]
    ?.toLowerCase();
  if (preference === "snake" || preference === "hyphen") return preference;
  return sent.some((text) => text !== undefined && isHyphenated(text)) ? "hyphen" : "snake";
}

export const writeStatus = (status: Status, style: StatusStyle): string => {
  if (style === "snake") return status;
  return status === "declined" ? "rejected" : status.replaceAll("_", "-");
};
