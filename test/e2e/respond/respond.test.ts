/** Tests of the deployed pages in a real browser, against a started exchange. */
import { acts } from "./suites/actions.ts";
import { answers } from "./suites/answers.ts";
import { deployedFiles } from "./suites/deployed-files.ts";
import { devices } from "./suites/devices.ts";
import { drafts } from "./suites/drafts.ts";
import { endings } from "./suites/endings.ts";
import { forms } from "./suites/forms.ts";
import { inboxes } from "./suites/inbox.ts";
import { inboxRows } from "./suites/inbox-rows.ts";
import { languages } from "./suites/languages.ts";
import { layouts } from "./suites/layout.ts";
import { links } from "./suites/links.ts";
import { networks } from "./suites/network.ts";
import { notes } from "./suites/notifications.ts";
import { photos } from "./suites/photos.ts";
import { requestViews } from "./suites/request-view.ts";
import { views } from "./suites/views.ts";
import { voiceNotes } from "./suites/voice-notes.ts";

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
voiceNotes();
