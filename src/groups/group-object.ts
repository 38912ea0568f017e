/** The Durable Object of one AI group or pool: the record of its messages. */
import { DurableObject } from "cloudflare:workers";
import type { GroupRpc } from "../contracts/groups.ts";

const missing = (): never => {
  throw new Error("not written");
};

export class GroupObject extends DurableObject<Env> implements GroupRpc {
  sync: GroupRpc["sync"] = async () => missing();
  post: GroupRpc["post"] = async () => missing();
  endAssignment: GroupRpc["endAssignment"] = async () => missing();
  send: GroupRpc["send"] = async () => missing();
  read: GroupRpc["read"] = async () => missing();
  markRead: GroupRpc["markRead"] = async () => missing();
  pending: GroupRpc["pending"] = async () => missing();
  status: GroupRpc["status"] = async () => missing();
  receive: GroupRpc["receive"] = async () => missing();
  heartbeat: GroupRpc["heartbeat"] = async () => missing();
  listSeen: GroupRpc["listSeen"] = async () => missing();
  listMessages: GroupRpc["listMessages"] = async () => missing();
  override fetch = async (): Promise<Response> => missing();
}
