/** An event in a chat channel, before its sender and thread are resolved. */
import type { ChannelKind } from "./registry.ts";
import type { MessError, Outcome } from "../mess/errors.ts";
import type { Result } from "../mess/result.ts";

/** A file that is stored with the channel and fetched when needed. */
export interface RemoteFile {
  readonly name: string;
  readonly mime: string;
  /** Refused if the channel no longer has the file, or the file is too large. */
  readonly fetch: () => Promise<Outcome<Uint8Array | FileStream>>;
}

/** A large file as a stream, with its length in bytes. */
export interface FileStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly size: number;
}

export type ChatAction = "claimed" | "declined" | "completed" | "cancel" | "message";

export interface InboundEvent {
  readonly channel: ChannelKind;
  /** The channel's id of the event. A repeated event has the same id and counts once. */
  readonly id: string;
  /** Shared by events that belong together, such as the photos of an album: they go to one thread. */
  readonly group?: string;
  /** Identities of the sender in the channel, the most likely first. */
  readonly identities: readonly string[];
  /** In a shared chat, the identities of the person who wrote; empty if the channel does not provide them. */
  readonly personIdentities?: readonly string[];
  /** The thread, if a button or an address names it. */
  readonly ref?: string;
  /** Handle of our message that the event replies to. */
  readonly handle?: string;
  /** The handle is certainly ours: if it is unknown, no other thread is guessed. */
  readonly isOwnMessage?: true;
  readonly action: ChatAction;
  readonly text?: string;
  readonly files?: readonly RemoteFile[];
  readonly location?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly name?: string;
  };
}

/** An event with its possible senders, before its files are fetched. */
export interface ChatEvent<File> {
  /** Identities of the sender, the most likely first. */
  readonly identities: readonly string[];
  readonly inbound: Omit<InboundEvent, "identities" | "files">;
  readonly files: readonly File[];
}

/** The outcome, for the reply in the channel. */
export interface ReceiveResult {
  readonly ref: string;
  readonly intent: string;
  readonly status: string;
  /** A repeated event, which was not counted again. */
  readonly isDuplicate: boolean;
  /** The sender holds the thread now. */
  readonly holdsThread?: true;
  /** The sender acted as the requestor, or as an owner in its place. */
  readonly asRequestor?: true;
  /** The thread was guessed, and another one was possible. */
  readonly isGuessed?: true;
  /** The request asks whether a draft may be sent. It is sent only where the sender is certainly an owner. */
  readonly draft?: "approved" | "not_approved";
}

/** Why an event was refused, for the reply in the channel. */
export interface ReceiveRefusal extends MessError {
  /** Display name of the member that holds the thread, where that is the cause. */
  readonly holder?: string;
  /** The sender is an owner who has not confirmed this chat for approvals. */
  readonly isUnconfirmed?: true;
  /** The page on which the sender signs in, where only an owner who is signed in may do this. */
  readonly signInPage?: string;
}

export type ReceiveOutcome = Result<ReceiveResult, ReceiveRefusal>;
