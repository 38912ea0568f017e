/** The respond page in a real browser, against the started exchange. */
import { acts } from "./act.ts";
import { answers } from "./answer.ts";
import { devices } from "./device.ts";
import { inboxes } from "./inbox.ts";
import { languages } from "./languages.ts";
import { networks } from "./network.ts";
import { notes } from "./notes.ts";
import { views } from "./views.ts";

answers();
acts();
networks();
inboxes();
notes();
devices();
views();
languages();
