/** Mail by the mail service of the deployment: received by `ingress/email`, sent by the binding `SEND_EMAIL`. */
import type { SourceKind } from "../source-kind.ts";
import {
  buildSourceAddress,
  emailSettingsSchema,
  type EmailSourceSettings,
  getMaxMailSourceNameChars,
} from "./config.ts";
import { sendSourceMail } from "./send.ts";

export const emailKind: SourceKind<EmailSourceSettings> = {
  settings: emailSettingsSchema,
  secrets: [],
  explainCannotSend: ({ from }) =>
    from === undefined ? "This source has no sender address: set `from` to send mail." : undefined,
  getMaxNameChars: getMaxMailSourceNameChars,
  getAddress: buildSourceAddress,
  send: sendSourceMail,
};
