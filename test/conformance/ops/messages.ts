/** Operations on bodies: parsing, entries, and extraction of inline data. */
import {
  nameAttachments,
  type StoredFile,
  extractInlineData,
} from "../../../src/mess/wire/content/content.ts";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import { messageToMess } from "../../../src/mess/wire/message.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { buildAttachmentName } from "../../../src/mess/refs.ts";
import type { Message } from "../../../src/mess/wire/schema.ts";
import type { Call } from "../check.ts";
import { answer } from "./result-json.ts";

const toJsonMessage = ({ v, re, blocks }: Message) => ({
  v,
  re,
  blocks: messageToMess({ blocks }),
});

export function parse({ given, when }: Call): Json {
  const target = given.target as string | undefined;
  return answer(
    parseMessages(when as string, target === undefined ? {} : { target }),
    (messages) => ({
      messages: messages.map(toJsonMessage),
    }),
  );
}

/** Reads the entries of a response's content; paths in refusals begin with `MESS[0].response.content`. */
export function parseContent({ when }: Call): Json {
  const text = JSON.stringify({ MESS: [{ response: { re: "thing", content: when, notes: "-" } }] });
  return answer(parseMessages(text), ([message]) => (message!.blocks[0]!.body as JsonMap).content);
}

/** Converts inline data above 4 KB to files named after the message's serial. */
export function attach({ given, when }: Call): Json {
  return answer(parseMessages(JSON.stringify(when), { target: "thing" }), ([message]) => {
    let count = 0;
    const { message: light, inline } = extractInlineData(message!, () => `upload-${++count}`);
    const names = new Map<string, StoredFile>();
    const attachments = inline.map(({ token, kind, mime, size, original }) => {
      const taken = [...names.values()].map(({ file }) => file);
      const file = buildAttachmentName(Number(given.serial), kind, original, mime, (name) =>
        taken.includes(name),
      );
      names.set(token, { file, mime, size });
      return { name: file, mime, size };
    });
    const written = messageToMess({ blocks: nameAttachments(light, names).blocks });
    return { attachments, blocks: written };
  });
}
