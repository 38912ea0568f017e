/** Tests of the deployed pages in a real browser, against a started exchange. */
import { acts } from "./actions.ts";
import { answers } from "./answers.ts";
import { deployedFiles } from "./deployed-files.ts";
import { devices } from "./devices.ts";
import { drafts } from "./drafts.ts";
import { endings } from "./endings.ts";
import { forms } from "./forms.ts";
import { inboxes } from "./inbox.ts";
import { inboxRows } from "./inbox-rows.ts";
import { languages } from "./languages.ts";
import { layouts } from "./layout.ts";
import { links } from "./links.ts";
import { networks } from "./network.ts";
import { notes } from "./notifications.ts";
import { photos } from "./photos.ts";
import { requestViews } from "./request-view.ts";
import { views } from "./views.ts";

// First, since the inbox loads open requests ahead, which later suites leave behind.
deployedFiles();
answers();
acts();
networks();
links();
inboxes();
notes();
devices();
views();
languages();
layouts();
endings();
requestViews();
inboxRows();
forms();
drafts();
photos();
