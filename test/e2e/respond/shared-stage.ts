/** One exchange and one browser for all suites of the page, since both take long to start. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { setStage, type RespondStage } from "../../support/respond-setup.ts";

export let stage: RespondStage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.end());
afterEach(async () => {
  await stage.closeContexts();
  expect(stage.faults.splice(0)).toEqual([]);
});
