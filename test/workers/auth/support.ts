/** A thread with a candidate, and keys that are revoked. */
import { type Caller, createFreshHousehold, expectOkJson } from "../support.ts";

/** A household with a thread that Ann may claim. */
export async function createOfferedThread() {
  const household = await createFreshHousehold();
  const ref = await household.agent.createThread("look at the basil", { requires: ["look"] });
  return { ...household, ref };
}

export async function findKeyId(owner: Caller, actor: string): Promise<string> {
  const { keys } = await owner.read<{ keys: { id: string; actor: string }[] }>("/api/v1/keys");
  return keys.find((key) => key.actor === actor)!.id;
}

export const revokeKey = async (owner: Caller, actor: string) =>
  await expectOkJson(
    await owner.fetch(`/api/v1/keys/${await findKeyId(owner, actor)}`, { method: "DELETE" }),
  );
