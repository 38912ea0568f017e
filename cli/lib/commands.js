/** All commands. */
import { ACTIONS } from "../commands/act.js";
import { exportArchive, importArchive } from "../commands/archives.js";
import { ask } from "../commands/ask.js";
import { defineCompletion } from "../commands/completion.js";
import { config } from "../commands/config.js";
import { groups } from "../commands/groups.js";
import { list } from "../commands/list.js";
import { login } from "../commands/login.js";
import { logout } from "../commands/logout.js";
import { mcp } from "../commands/mcp.js";
import { messages } from "../commands/messages.js";
import { profiles } from "../commands/profiles.js";
import { pull } from "../commands/pull.js";
import { push } from "../commands/push.js";
import { send } from "../commands/send.js";
import { show } from "../commands/show.js";
import { watch } from "../commands/watch.js";

/** @type {readonly import("./command.js").Command[]} */
export const COMMANDS = [
  ...ACTIONS,
  ask,
  config,
  defineCompletion(() => COMMANDS),
  exportArchive,
  groups,
  importArchive,
  list,
  login,
  logout,
  mcp,
  messages,
  profiles,
  pull,
  push,
  send,
  show,
  watch,
];
