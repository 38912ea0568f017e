/** Suggestions that are accepted, and the threads that take the place of others by them. */
import { expect } from "vitest";
import {
  type Answered,
  type Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  type TestHousehold,
} from "../support.ts";
import { readEnvelope } from "./support.ts";

export const readRequest = async (caller: Caller, ref: string): Promise<Answered> =>
  (await caller.read(`/mess/${ref}`)).messages[0].MESS[0].request;

/** Suggests it in the thread, and accepts it in the requestor's name. */
export async function acceptSuggestion(
  home: TestHousehold,
  ref: string,
  suggestion: object,
  by = home.agent,
) {
  const { ref: made } = await home.ben.appendBlocks(ref, { suggestion });
  await expectOkJson(await by.post("/mess", { re: made, MESS: [{ reply: { accept: true } }] }));
}

/** What the thread was replaced by, once that has happened. */
export const findReplacement = (caller: Caller, ref: string): Promise<string> =>
  waitUntil(async () => {
    const { status, superseded_by } = await readEnvelope(caller, ref);
    expect(status).toBe("superseded");
    return superseded_by as string;
  });

/** With somebody who can both drive and carry. */
export const createHousehold = async (): Promise<TestHousehold> => {
  const home = await createFreshHousehold();
  await expectOkJson(
    await home.owner.postBlocks({
      config: { executor: { id: "cleo", capabilities: ["drive", "carry"] } },
    }),
  );
  return home;
};
