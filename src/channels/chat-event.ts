/** What somebody did in a channel, before it is known which thread they mean and which words it makes. */
import type { ChannelKind } from "./channel-kinds.ts";
import type { Outcome } from "../mess/errors.ts";

/** A file that lies with the channel until it is asked for. */
export interface RemoteFile {
  readonly name: string;
  readonly mime: string;
  /** Refused where the channel no longer has it, or it is too large. */
  readonly fetch: () => Promise<Outcome<Uint8Array | FileStream>>;
}

/** A large file as it comes, with its length in bytes. */
export interface FileStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly size: number;
}

export type ChatAction = "claimed" | "declined" | "completed" | "cancel" | "message";

export interface InboundEvent {
  readonly channel: ChannelKind;
  /** The channel's own id of this event: the same when it is sent again, so it counts once. */
  readonly id: string;
  /** Events that were made as one, such as the photos of an album, mean one thread. */
  readonly group?: string;
  /** Who did it: the channel's identity of a member's address. */
  readonly from: string;
  /** In a room that several share, as whom the channel knows the person: empty where it does not tell. */
  readonly personIdentities?: readonly string[];
  /** The thread, where a button or an address carries it. */
  readonly ref?: string;
  /** Our message that is answered, by the handle that sending it gave. */
  readonly handle?: string;
  /** It is ours for certain: where it is not known, no other message is meant. */
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

/** Somebody's doing in a chat, before it is known who they are, with the files as the chat names them. */
export interface ChatEvent<File> {
  /** By which the member is known, the likeliest first. */
  readonly identities: readonly string[];
  readonly inbound: Omit<InboundEvent, "from" | "files">;
  readonly files: readonly File[];
}

/** What became of it, for the words that the channel gives back. */
export interface ReceiveResult {
  readonly ref: string;
  readonly intent: string;
  readonly status: string;
  /** It had been heard before, and was not counted again. */
  readonly isDuplicate: boolean;
  /** Whoever did it holds the thread now. */
  readonly holdsThread?: true;
  /** Whoever did it spoke as who asked, or as an owner in their place. */
  readonly asRequestor?: true;
  /** Nothing said which thread was meant, and another could have been. */
  readonly isGuessed?: true;
}
