/** Every tool, in the order in which clients list them. */
import type { Tool } from "../tool.ts";
import { cancel } from "./cancel.ts";
import { capabilities } from "./capabilities.ts";
import { act } from "./do.ts";
import { fetch } from "./fetch.ts";
import { mess } from "./mess.ts";
import { observe } from "./observe.ts";
import { reply } from "./reply.ts";
import { status } from "./status.ts";
import { wait } from "./wait.ts";

export const TOOLS: readonly Tool[] = [
  observe,
  act,
  status,
  wait,
  reply,
  cancel,
  capabilities,
  fetch,
  mess,
];
