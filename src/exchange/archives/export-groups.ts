/** The AI groups of a household in its export. */
import type { ZipFile } from "../../attachments/archive-writer.ts";
import type { Principal } from "../../auth/principal.ts";
import type { GroupMessage } from "../../contracts/groups.ts";
import {
  buildGroupFileName,
  GROUP_PAIRS_FILE,
  writeGroupDocument,
  writeGroupEnvelope,
  writeTaskPair,
} from "../../mess/groups/write-archive.ts";
import { getGroupStub, getHouseholdStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

const PAGE_MESSAGES = 200;
/** Tasks whose contents are kept until their reports; others are read again. */
const MAX_OPEN_TASKS = 500;
/** Files in one group of files of the archive: one for each group, and the pairs. */
const MAX_GROUPS_PER_PART = 150;
/** The parts of an export that hold groups begin after this, which is no ref of a thread. */
const GROUPS_CURSOR = "groups";

/** The id of the group after which a part with groups begins; undefined for a part with threads. */
export const readGroupsCursor = (after: string | undefined): string | undefined =>
  after === GROUPS_CURSOR
    ? ""
    : after?.startsWith(`${GROUPS_CURSOR}/`)
      ? after.slice(GROUPS_CURSOR.length + 1)
      : undefined;

export interface GroupPart {
  ids: string[];
  /** The beginning of the next part. */
  next?: string;
}

/**
 * Chooses the groups of a part.
 * @param after id of the group after which the part begins; empty for the first one
 * @param isEmpty whether the part has nothing else: then it has at least one group, however large
 */
export async function chooseGroups(
  env: ExchangeBindings,
  household: string,
  after: string,
  maxBytes: number,
  isEmpty: boolean,
): Promise<GroupPart> {
  const all = await getHouseholdStub(env, household).groups.listIds();
  const ids: string[] = [];
  let bytes = 0;
  for (const id of all.toSorted().filter((one) => one > after)) {
    bytes += await getGroupStub(env, household, id).estimateExportBytes();
    const isFull = bytes > maxBytes || ids.length >= MAX_GROUPS_PER_PART;
    if (isFull && !(isEmpty && ids.length === 0)) {
      const last = ids.at(-1) ?? after;
      return { ids, next: last === "" ? GROUPS_CURSOR : `${GROUPS_CURSOR}/${last}` };
    }
    ids.push(id);
  }
  return { ids };
}

/** Reads the groups one page at a time while the archive is streamed. */
export async function* readGroupFiles(
  env: ExchangeBindings,
  owner: Principal,
  ids: readonly string[],
): AsyncGenerator<ZipFile> {
  for (const id of ids)
    yield { name: buildGroupFileName(id), input: toTextStream(writeGroup(env, owner, id)) };
  if (ids.length > 0)
    yield { name: GROUP_PAIRS_FILE, input: toTextStream(writePairs(env, owner, ids)) };
}

async function* writeGroup(
  env: ExchangeBindings,
  { household, actor }: Principal,
  id: string,
): AsyncGenerator<string> {
  const group = getGroupStub(env, household, id);
  // Without a credential, the owner is no member, so that the group shows all of itself.
  const status = await group.status({ principal: { household, actor, role: "owner" } });
  if (!status.ok) throw new Error(`group ${id} cannot be exported: ${status.error.code}`);
  yield writeGroupEnvelope(status.value);
  for await (const message of readAllMessages(env, household, id))
    yield writeGroupDocument(message);
}

async function* writePairs(
  env: ExchangeBindings,
  { household }: Principal,
  ids: readonly string[],
): AsyncGenerator<string> {
  for (const id of ids) {
    const tasks = new Map<string, GroupMessage>();
    const positions = new Map<string, number>();
    for await (const message of readAllMessages(env, household, id)) {
      if (message.type === "task") {
        tasks.set(message.id, message);
        positions.set(message.id, message.seq);
        if (tasks.size > MAX_OPEN_TASKS) tasks.delete(tasks.keys().next().value!);
      }
      const { completes } = message;
      const position = completes === undefined ? undefined : positions.get(completes);
      if (completes === undefined || position === undefined) continue;
      const task = tasks.get(completes) ?? (await readMessage(env, household, id, position));
      tasks.delete(completes);
      positions.delete(completes);
      if (task) yield writeTaskPair(id, task, message);
    }
  }
}

async function* readAllMessages(
  env: ExchangeBindings,
  household: string,
  id: string,
): AsyncGenerator<GroupMessage> {
  const group = getGroupStub(env, household, id);
  for (let after = 0; ;) {
    const { messages, more } = await group.listMessages(after, PAGE_MESSAGES);
    for (const message of messages) yield message;
    after = messages.at(-1)?.seq ?? after;
    if (!more) return;
  }
}

async function readMessage(
  env: ExchangeBindings,
  household: string,
  group: string,
  seq: number,
): Promise<GroupMessage | undefined> {
  const { messages } = await getGroupStub(env, household, group).listMessages(seq - 1, 1);
  return messages[0];
}

function toTextStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
