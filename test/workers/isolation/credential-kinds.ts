/**
 * Every kind of cookie, key, token, code and signature, with the caller or the probe that uses it against another
 * household. `credentials.test.ts` fails for a kind in `src` that is not here.
 */
import type { CallerName } from "./callers.ts";
import type { ROUTE_PROBES } from "./route-probes.ts";

type Use =
  | { caller: CallerName }
  | { route: keyof typeof ROUTE_PROBES }
  | { test: "mail" }
  /** Why it names nothing of a household. */
  | { public: string };

const CALLBACK: Use = { caller: "callback token" };
const DOWNLOAD: Use = { route: "GET /files/:token" };
const UPLOAD: Use = { route: "POST /uploads/:token" };
const LINK: Use = { caller: "link to a thread of the victim's name" };
const LINK_SESSION: Use = { caller: "link session" };
const SIGNED_IN: Use = { caller: "signed-in person" };
const CHALLENGE: Use = { public: "a random challenge" };
const FORM: Use = { public: "a random token of a form" };

export const CREDENTIAL_KINDS: Readonly<Record<string, Use>> = {
  mess_: { caller: "owner" },
  "mess api key": { caller: "owner" },
  signin_: { route: "ALL /sign-in" },
  "mess callback": CALLBACK,
  "mess-callback+jwt": CALLBACK,
  "mess webhook": { route: "POST /hooks/executor/:household/:executor" },
  "mess download": DOWNLOAD,
  "mess-download+jwt": DOWNLOAD,
  "mess upload": UPLOAD,
  "mess-upload+jwt": UPLOAD,
  "mess link": LINK,
  "mess-link+jwt": LINK,
  "mess-session+jwt": LINK_SESSION,
  "__Host-mess-respond-": LINK_SESSION,
  "mess short link": { route: "POST /r/:code" },
  "mess reply address": { test: "mail" },
  session: SIGNED_IN,
  "__Host-mess-session": SIGNED_IN,
  challenge: CHALLENGE,
  "__Host-mess-challenge": CHALLENGE,
  "mess form": FORM,
  "__Host-mess-form": FORM,
  "mess secrets v": { public: "encrypts stored secrets; the household's id is part of the key" },
  "mess secret id": { public: "tells the Worker's secrets apart; it opens nothing" },
  "mess secret fingerprint": { public: "compares the secrets of one household" },
};
