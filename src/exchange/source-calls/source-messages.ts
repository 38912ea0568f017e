/** The calls about messages of one source. The tree, the tools and the routes share them. */
import type { Principal } from "../../auth/principal.ts";
import type {
  MessageQuery,
  SourceAttachment,
  SourceMessagePage,
  SourceMessageSummary,
  SourceMessageView,
} from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { MessageMark } from "../../mess/sources/vocabulary.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withSource } from "./with-source.ts";

export const listSourceMessages = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  query: MessageQuery,
): Promise<Outcome<SourceMessagePage>> =>
  withSource(env, principal, name, "read", ({ messages }) => messages.list(query));

/** Does not mark the message as seen. */
export const readSourceMessage = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  id: string,
): Promise<Outcome<SourceMessageView>> =>
  withSource(env, principal, name, "read", ({ messages }) => messages.read(id));

export const markSourceMessage = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  id: string,
  mark: MessageMark,
): Promise<Outcome<SourceMessageSummary>> =>
  withSource(env, principal, name, "read", ({ messages }) => messages.mark(id, mark));

/** Deletes the message for good. A credential that is limited to paths can archive it instead. */
export const removeSourceMessage = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  id: string,
): Promise<Outcome<true>> =>
  withSource(env, principal, name, "read", async ({ messages }) =>
    principal.role === "owner" && principal.paths === undefined
      ? await messages.remove(id)
      : refuse(
          "wrong_role",
          "only owners delete messages of sources",
          "Archive the message instead, or ask an owner to delete it.",
        ),
  );

/** Where the bytes of the raw message or of an attachment are. */
export const locateSourceFile = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  id: string,
  part: "raw" | number,
): Promise<Outcome<SourceAttachment>> =>
  withSource(env, principal, name, "read", ({ messages }) => messages.locate(id, part));
