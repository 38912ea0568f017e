/** Defects of the sources of chats: a stranger's message answers a request, and forged or repeated messages. */
import type { Mutant } from "../mutant.ts";

const TELEGRAM = ["sources/chats/telegram-source"];
const WHATSAPP = ["sources/chats/whatsapp-source"];
const REQUESTS = ["sources/chats/request-source"];

export const CHAT_SOURCE_MUTANTS: readonly Mutant[] = [
  {
    name: "chat sources: a stranger's message answers a member's request",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "if (identity === undefined) return undefined;",
    replace:
      "if (identity === undefined) return inbound[0] && { identity: inbound[0].identity, addresses: inbound, members: listActors(inbound), identifiedMembers: undefined };",
    tests: TELEGRAM,
  },
  {
    name: "chat sources: a text is taken for the answer to one of several open requests",
    file: "src/household/contacts/resolve-certain.ts",
    find: "if (!only || open.length > 1) return undefined;",
    replace: "if (!only) return undefined;",
    tests: TELEGRAM,
  },
  {
    name: "chat sources: a repeated message answers a request that came after it",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "if (!target && hasSource)",
    replace: "if (!target && !hasSource)",
    tests: TELEGRAM,
  },
  {
    name: "whatsapp: a notification with any signature is accepted",
    file: "src/source-kinds/whatsapp/receive.ts",
    find: "if (!settings || !isSigned) return undefined;",
    replace: "if (!settings) return undefined;",
    tests: WHATSAPP,
  },
  {
    name: "whatsapp: the check of the address is answered with any token",
    file: "src/source-kinds/whatsapp/receive.ts",
    find: "settings && isKnown && isCheck",
    replace: "settings && (isKnown || isCheck)",
    tests: WHATSAPP,
  },
  {
    name: "whatsapp: messages to other numbers of the account are stored",
    file: "src/source-kinds/whatsapp/payload.ts",
    find: "if (!head.success || head.data.metadata.phone_number_id !== phoneNumberId) continue;",
    replace: "if (!head.success) continue;",
    tests: WHATSAPP,
  },
  {
    name: "chat sources: a call without an answer counts as not sent",
    file: "src/source-kinds/chat/outgoing-text.ts",
    find: ': response.error.code === "internal";',
    replace: ": false;",
    tests: [...TELEGRAM, ...WHATSAPP],
  },
  {
    name: "mess source: an owner answers a request that was not offered to them",
    file: "src/source-kinds/mess/mess.ts",
    find: 'const actor: Principal = { household, actor: owner, role: "executor" };',
    replace: 'const actor: Principal = { household, actor: "ann", role: "executor" };',
    tests: REQUESTS,
  },
];
