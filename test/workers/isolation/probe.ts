/** The parts of a probe: a call that names things of a household, and how the caller authenticates. */
import { defined } from "../../../src/mess/defined.ts";
import type { Names, Twin } from "./twins.ts";

export interface Call {
  path: string;
  init?: RequestInit;
}

export interface Probe {
  /** Whether the route authenticates the caller by a header or cookie, which the test adds. */
  caller: "member" | "browser" | "none";
  /** @param names ids and refs of the victim, or absent ones @param attacker the caller */
  build(names: Names, attacker: Twin): Call | Promise<Call>;
  /** The probe does not show that the victim's own call succeeds, for the reason given. */
  neverSucceeds?: string;
  /** A household that does not exist is refused without a call to its object, so the work differs. */
  namesHousehold?: true;
}

export interface Public {
  /** Why the route cannot show anything of a household. */
  public: string;
}

export type RouteProbe = Probe | Public;

export const isPublic = (probe: RouteProbe): probe is Public => "public" in probe;

export const withJson = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});

export const member = (
  build: Probe["build"] | string,
  more: Pick<Probe, "neverSucceeds"> = {},
): Probe => ({
  caller: "member",
  build: typeof build === "string" ? () => ({ path: build }) : build,
  ...more,
});

/** A call to a path with names in braces. */
export const named =
  (template: string, init?: (names: Names) => RequestInit) =>
  (names: Names): Call => ({
    path: template.replaceAll(/\{(\w+)\}/g, (_, kind: keyof Names) => names[kind]),
    ...(init ? { init: init(names) } : {}),
  });

export const remove = (): RequestInit => ({ method: "DELETE" });
export const post =
  (build: (names: Names) => unknown) =>
  (names: Names): RequestInit =>
    withJson("POST", build(names));

export const browser = (build: Probe["build"], neverSucceeds?: string): Probe => ({
  caller: "browser",
  build,
  ...defined({ neverSucceeds }),
});

export const asOwnPage = (init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), "X-MESS-Client": "respond" },
});

const FORM_TYPE = "application/x-www-form-urlencoded";

export const form = (fields: Record<string, string>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields).toString(),
  headers: { "Content-Type": FORM_TYPE },
});

export const upload = (): RequestInit => ({
  method: "PATCH",
  body: "a part",
  headers: { "Content-Type": "application/octet-stream", "Upload-Offset": "0" },
});
