/** Starts MCP robots, and sends notices to them. */
import { mcp } from "../../../src/channels/mcp/send.ts";
import type { Notice, SendResult } from "../../../src/channels/channel.ts";
import { messageToMess } from "../../../src/mess/wire/message.ts";
import { checkMessages } from "../../../src/mess/wire/parse.ts";
import type { Message, MessageInput } from "../../../src/mess/wire/schema.ts";
import {
  type At,
  type Done,
  createMcpRobot,
  type McpRobotOptions,
  type RobotWork,
} from "../../support/channels/mcp-robot.ts";
import { connectHost, buildMachineNotice, REF, createSender } from "./machine-hosts.ts";

/** Starts a robot that does this work, and records the messages that the channel posts for it. */
export function start(
  work: (work: RobotWork, at: At) => Promise<Done>,
  more: Omit<McpRobotOptions, "work"> = {},
) {
  const robot = createMcpRobot({ ...more, work });
  const url = `${connectHost("moppy.example.com", robot.handle)}/mcp`;
  const posted: Message[] = [];
  const recordReply = (messages: readonly MessageInput[]) => {
    const checked = checkMessages(messages, { target: REF });
    return checked.ok ? posted.push(...checked.value) > 0 : false;
  };
  const send = (change: Partial<Notice> = {}, address: object | string = url, say = recordReply) =>
    mcp.send(
      createSender({ postReply: async (messages) => say(messages) }),
      address as Parameters<typeof mcp.send>[1],
      buildMachineNotice(change),
    );
  const listCodes = () =>
    posted.map(({ blocks }) => blocks.map(({ body }) => ("code" in body ? body.code : undefined)));
  return { ...robot, url, send, posted, listCodes };
}

/** The blocks of the robot's reply in the result of a send, in the form that the thread would store. */
export function readReplyBlocks(sent: SendResult) {
  const checked = checkMessages((sent.ok && sent.reply) || [], { target: REF });
  return checked.ok ? checked.value.flatMap(messageToMess) : checked.error;
}

export const buildTextResult = (text: string): Done => ({ content: [{ type: "text", text }] });
