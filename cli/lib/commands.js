/** All commands. */
import { ACTIONS } from "../commands/act.js";
import { exportArchive, importArchive } from "../commands/archives.js";
import { ask } from "../commands/ask.js";
import { list } from "../commands/list.js";
import { login } from "../commands/login.js";
import { logout } from "../commands/logout.js";
import { profiles } from "../commands/profiles.js";
import { pull } from "../commands/pull.js";
import { push } from "../commands/push.js";
import { send } from "../commands/send.js";
import { show } from "../commands/show.js";

/** @type {readonly import("./command.js").Command[]} */
export const COMMANDS = [
  ...ACTIONS,
  ask,
  exportArchive,
  importArchive,
  list,
  login,
  logout,
  profiles,
  pull,
  push,
  send,
  show,
];
