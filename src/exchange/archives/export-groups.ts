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
import type { ArchivedObjects } from "./choose-objects.ts";
import { toTextStream } from "./text-stream.ts";

const PAGE_MESSAGES = 200;
/** Tasks whose contents are kept until their reports; others are read again. */
const MAX_OPEN_TASKS = 500;

/** The groups in the parts of an export. */
export const GROUPS: ArchivedObjects = {
  cursor: "groups",
  list: (env, household) => getHouseholdStub(env, household).groups.listIds(),
  estimateBytes: (env, household, id) => getGroupStub(env, household, id).estimateExportBytes(),
};

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
