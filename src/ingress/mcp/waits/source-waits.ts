/** Waits for messages of sources: for notices of all sources, or for new messages of one. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "../../../auth/principal.ts";
import type { NoticeView } from "../../../contracts/household-sources.ts";
import type { SourceMessageSummary } from "../../../contracts/sources.ts";
import { waitForSourceMessages } from "../../../exchange/source-calls/wait-for-message.ts";
import { waitForNotice } from "../../../exchange/source-calls/wait-for-notice.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { buildStructuredResult } from "../results/structured-result.ts";
import {
  describeListed,
  describeNotice,
  toStructuredListed,
} from "../text/describe-source-message.ts";
import type { ToolNamer } from "../tool.ts";

/** In place of a source's name, which it can never be. */
export const ALL_SOURCES = "notify";

export interface SourceWait {
  /** The name of a source, or ALL_SOURCES. */
  source: string;
  /** Undefined waits for the next one. */
  position: number | undefined;
}

export interface ReceivedFromSources {
  position: number;
  notices?: NoticeView[];
  messages?: SourceMessageSummary[];
  more?: boolean;
}

export const isEmpty = ({ notices = [], messages = [] }: ReceivedFromSources): boolean =>
  notices.length + messages.length === 0;

/** @param timeout in milliseconds; 0 only looks */
export async function receiveFromSources(
  env: ExchangeBindings,
  principal: Principal,
  { source, position }: SourceWait,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<ReceivedFromSources>> {
  if (source !== ALL_SOURCES)
    return await waitForSourceMessages(env, principal, source, position, timeout, signal);
  const received = await waitForNotice(env, principal, position, timeout, signal);
  if (!received.ok) return received;
  const { notices, cursor } = received.value;
  return ok({ notices, position: cursor });
}

/** A cursor names what it belongs to: the position of another source would skip messages. */
export const formatCursor = ({ household }: Principal, source: string, position: number): string =>
  `${household}.${source}.${position}`;

const CURSOR_PATTERN = /^([^.]{1,128})\.([a-z][a-z0-9-]{0,31})\.(\d{1,15})$/;

export function readCursor(
  { household }: Principal,
  source: string,
  cursor: string | undefined,
): Outcome<number | undefined> {
  if (cursor === undefined) return ok(undefined);
  const [, ofHousehold, ofSource, position] = CURSOR_PATTERN.exec(cursor) ?? [];
  return ofHousehold === household && ofSource === source
    ? ok(Number(position))
    : refuse(
        "bad_parameter",
        "the cursor is not one of this wait",
        "Pass the cursor of the last wait with the same source, or leave it out to wait for the next message.",
        { path: "cursor" },
      );
}

const toStructuredNotice = ({ source, message, tier, urgency, at }: NoticeView) => ({
  source,
  id: message,
  tier,
  urgency,
  at,
});

/** @param toolName the names of the tools at this address */
export function describeReceivedFromSources(
  principal: Principal,
  { source }: SourceWait,
  received: ReceivedFromSources,
  toolName: ToolNamer,
): CallToolResult {
  const { position, notices = [], messages = [], more = false } = received;
  const cursor = formatCursor(principal, source, position);
  const again = `${toolName("wait")} with cursor=${cursor}`;
  const text = isEmpty(received)
    ? `Nothing yet: call ${again}.`
    : [
        ...notices.map(describeNotice),
        ...messages.map(describeListed),
        `Strangers wrote the words in quotes and after >. ${toolName("read")} shows a message. ${more ? "There are more" : "To wait on"}: ${again}.`,
      ].join("\n");
  const entries =
    source === ALL_SOURCES
      ? { notices: notices.map(toStructuredNotice) }
      : { messages: messages.map(toStructuredListed) };
  return buildStructuredResult(text, { ...entries, cursor, more });
}
