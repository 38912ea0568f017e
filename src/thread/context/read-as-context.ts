/** Reads the part of a thread that another request refers to: its request and answers, or one message or file. */
import type { EarlierThread, EarlierThreadWithFiles } from "../../contracts/thread-views.ts";
import { defined } from "../../mess/defined.ts";
import type { Attachment, MessageDocument } from "../../mess/envelope.ts";
import {
  buildContentUri,
  type InlineFile,
  toResourceDocument,
} from "../../mess/messe-af/resource-documents.ts";
import { isFileNameTaken } from "../files/file-names.ts";
import { findMessage } from "../message-names.ts";
import type { ThreadLog } from "../thread-log.ts";

/** The newest answers that a reader gets. */
const MAX_ANSWERS = 3;

/** @param part name of a message or of a file; undefined for the whole thread */
export function readAsContext(
  log: ThreadLog,
  part: string | undefined,
): EarlierThreadWithFiles | undefined {
  const { ref, intent, status } = log.getState();
  const { messages: all, files: inline } = log.readResourcesAfter(0);
  const everyFile: (Attachment | InlineFile)[] = [...log.attachments.list(), ...inline];
  const head = { ref, intent, status, ...defined({ part }) };
  const file = everyFile.find(({ name }) => name === part);
  if (file)
    return { thread: { ...head, messages: [], attachments: [hideKey(file)] }, files: [file] };
  const messages = part === undefined ? listAnswers(all) : readNamed(log, ref, part);
  const text = JSON.stringify(messages);
  const files = everyFile.filter(({ name }) => text.includes(`"${buildContentUri(ref, name)}"`));
  return { thread: { ...head, messages, attachments: files.map(hideKey) }, files };
}

/** The other messages are private to requestor and executor, so they are not shown. */
function listAnswers(messages: readonly MessageDocument[]): MessageDocument[] {
  const pick = (type: string) =>
    messages.flatMap((document): MessageDocument[] => {
      const MESS = document.MESS.filter((item) => type in item);
      return MESS.length > 0 ? [{ ...document, MESS }] : [];
    });
  return [...pick("request").slice(0, 1), ...pick("response").slice(-MAX_ANSWERS)];
}

function readNamed(log: ThreadLog, ref: string, name: string): MessageDocument[] {
  const found = findMessage(log, name);
  const document = found.ok ? found.value.documents[0] : undefined;
  if (!found.ok || !document) return [];
  const isTaken = (file: string) => isFileNameTaken(log, file);
  return [toResourceDocument(document, ref, found.value.serial, isTaken).document];
}

const hideKey = (file: Attachment | InlineFile): EarlierThread["attachments"][number] => {
  const { name, serial, mime, size, original } = file;
  return { name, serial, mime, size, ...defined({ original }) };
};
