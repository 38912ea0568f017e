/** Finds and uses controls of the page. */
import type { Page } from "playwright-core";
import { t } from "../../support/page-texts.ts";

/** Chooses one of the large options. */
export const choose = (page: Page, option: string, question?: string) =>
  (question === undefined ? page : page.getByRole("group", { name: question }))
    .getByRole("radio", { name: option, exact: true })
    .check();

export const answerField = (page: Page) => page.getByRole("textbox", { name: t("your_answer") });
