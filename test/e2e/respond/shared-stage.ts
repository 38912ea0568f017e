/** One exchange and one browser for all suites of the pages as they are deployed, since both take long to start. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { buildPages } from "../../../scripts/lib/build-pages.ts";
import { createTemporaryDirectory } from "../../support/exchange-process.ts";
import { setStage, type RespondStage } from "../../support/respond-setup.ts";

export let stage: RespondStage;

beforeAll(async () => {
  const directory = createTemporaryDirectory();
  await buildPages(directory);
  stage = await setStage(["--pages", directory]);
});
afterAll(() => stage.end());
afterEach(async () => {
  await stage.closeContexts();
  expect(stage.faults.splice(0)).toEqual([]);
});
