/** MCP robots as the channel meets them. */
import { mcp } from "../../../src/channels/mcp/send.ts";
import type { Notice } from "../../../src/channels/channel.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import {
  type At,
  type Done,
  createMcpRobot,
  type McpRobotOptions,
  type RobotWork,
} from "../../support/mcp-robot.ts";
import { connectHost, buildMachineNotice, REF, createSender } from "./machine-hosts.ts";

/** A robot that does this, and what it was heard to say. */
export function start(
  work: (work: RobotWork, at: At) => Promise<Done>,
  more: Omit<McpRobotOptions, "work"> = {},
) {
  const robot = createMcpRobot({ ...more, work });
  const url = `${connectHost("moppy.example.com", robot.handle)}/mcp`;
  const posted: string[] = [];
  const recordReply = (text: string) =>
    parseMessages(text, { target: REF }).ok ? posted.push(text) > 0 : false;
  const send = (change: Partial<Notice> = {}, address: object | string = url, say = recordReply) =>
    mcp.send(
      createSender({ postReply: async (text) => say(text) }),
      address as Parameters<typeof mcp.send>[1],
      buildMachineNotice(change),
    );
  const listCodes = () =>
    posted.map((text) =>
      JSON.parse(text).MESS.map((block: object) => Object.values(block)[0].code),
    );
  return { ...robot, url, send, posted, listCodes };
}

export const buildTextResult = (text: string): Done => ({ content: [{ type: "text", text }] });
