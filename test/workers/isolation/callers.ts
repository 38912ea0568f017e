/** The credentials of the attacker's household, of every kind, with which each probe is made. */
import { env } from "cloudflare:workers";
import { makeCallbackToken } from "../../../src/auth/callbacks/callback-tokens.ts";
import { beginLinkSession, buildSessionId } from "../../../src/auth/links/link-sessions.ts";
import { type LinkInput, makeLink } from "../../../src/auth/links/links.ts";
import type { Caller } from "../support.ts";
import type { Names, Twin } from "./twins.ts";

export type CallerName =
  | "owner"
  | "agent"
  | "executor"
  | "connector"
  | "signed-in person"
  | "signed-in person that names the victim's household"
  | "link"
  | "link to a thread of the victim's name"
  | "link session"
  | "link session that names the victim's household"
  | "callback token"
  | "key with the victim's household id"
  | "nobody";

export interface ForeignCaller {
  who: CallerName;
  headers: Record<string, string>;
  /** The credential names a household, which is refused without a call to its object if it does not exist. */
  namesHousehold?: true;
}

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

const ofKey = ({ key }: Caller): Record<string, string> => bearer(key);

const OWN_PAGE = { "X-MESS-Client": "respond", Origin: "https://mess.test" };

const toCookieHeader = (cookies: readonly string[]): string =>
  cookies.map((cookie) => cookie.split(";")[0] ?? "").join("; ");

/** @param names the names of the victim's things, or of nothing, which some credentials contain */
export async function listForeignCallers(
  { home, link, cookies, tokens }: Twin,
  { ref, jti, household }: Names,
): Promise<ForeignCaller[]> {
  const expires = Math.floor(Date.now() / 1_000) + 3_600;
  const input: LinkInput = {
    household: home.id,
    ref,
    executor: "ann",
    permissions: ["respond", "claim", "decline"],
    jti,
    expires,
  };
  const grant = { household: home.id, executor: "robo", ref };
  const callback = await makeCallbackToken(env.MESS_SECRET, grant, Date.now());
  const session = await beginLinkSession(env.MESS_SECRET, new Request("https://mess.test/"), input);
  const theirs = { "X-MESS-Session": await buildSessionId(household) };
  const person = { ...OWN_PAGE, Cookie: cookies };
  const linked = { ...OWN_PAGE, Cookie: toCookieHeader(session) };
  const made = await makeLink(env.MESS_SECRET, input);
  return [
    { who: "owner", headers: ofKey(home.owner) },
    { who: "agent", headers: ofKey(home.agent) },
    { who: "executor", headers: ofKey(home.ann) },
    { who: "signed-in person", headers: person },
    { who: "connector", headers: bearer(tokens.access_token) },
    {
      who: "signed-in person that names the victim's household",
      headers: { ...person, ...theirs },
    },
    { who: "link", headers: bearer(link.token) },
    { who: "link to a thread of the victim's name", headers: bearer(made) },
    { who: "link session", headers: linked },
    { who: "link session that names the victim's household", headers: { ...linked, ...theirs } },
    { who: "callback token", headers: bearer(callback.token) },
    {
      who: "key with the victim's household id",
      headers: bearer(home.owner.key.replace(home.id, household)),
      namesHousehold: true,
    },
    { who: "nobody", headers: {} },
  ];
}
