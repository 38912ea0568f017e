/** AI groups: who is a member of which group, handoffs, and the two pools. */
import type { GroupsRpc } from "../../contracts/household-groups.ts";

const missing = (): never => {
  throw new Error("not written");
};

export class GroupsFacet implements GroupsRpc {
  async initiate() {
    return missing();
  }
  async join() {
    return missing();
  }
  async rejoin() {
    return missing();
  }
  async list() {
    return missing();
  }
  async resolve() {
    return missing();
  }
  async close() {
    return missing();
  }
  async transfer() {
    return missing();
  }
  async register() {
    return missing();
  }
  async listPool() {
    return missing();
  }
  async claim() {
    return missing();
  }
  async release() {
    return missing();
  }
  async agentStatus() {
    return missing();
  }
  async wipe() {
    return missing();
  }
}
