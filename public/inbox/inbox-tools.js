/**
 * The parts of the inbox that its later views use: in bundles of their own, copies of these would not know the language
 * or the server's clock.
 */
import { choiceControl } from "../respond/answer/fields.js";
import * as db from "../respond/device-store.js";
import { call } from "../respond/send/api.js";
import { announce } from "../respond/ui/accessibility.js";
import { currentLanguage, format, formatNumber } from "../respond/ui/i18n.js";
import { now } from "../respond/ui/server-clock.js";
import { openSheet } from "../respond/ui/sheet.js";
import { ago, clock, size } from "../respond/ui/time-format.js";

export const tools = {
  call,
  format,
  formatNumber,
  currentLanguage,
  clock,
  ago,
  now,
  size,
  announce,
  openSheet,
  choiceControl,
  db,
};

/** @typedef {typeof tools} InboxTools */
