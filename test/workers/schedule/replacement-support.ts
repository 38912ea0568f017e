/** Accepted suggestions, and the threads that replace others because of them. */
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
  (await caller.read(`/mess/${ref}`)).messages[0].MESS.at(-1).request;

/** Sends the suggestion in the thread, and accepts it in the requestor's name. */
export async function acceptSuggestion(
  home: TestHousehold,
  ref: string,
  suggestion: object,
  by = home.agent,
) {
  const { ref: made } = await home.ben.appendBlocks(ref, { suggestion });
  await expectOkJson(await by.post("/mess", { re: made, MESS: [{ reply: { accept: true } }] }));
}

/** The refs of the replacing threads, once they exist. */
export const findReplacement = (caller: Caller, ref: string): Promise<string> =>
  waitUntil(async () => {
    const { status, superseded_by } = await readEnvelope(caller, ref);
    expect(status).toBe("superseded");
    return superseded_by as string;
  });

/** A household with a member who can both drive and carry. */
export const createHousehold = async (): Promise<TestHousehold> => {
  const home = await createFreshHousehold();
  await expectOkJson(
    await home.owner.postBlocks({
      config: { executor: { id: "cleo", capabilities: ["drive", "carry"] } },
    }),
  );
  return home;
};
