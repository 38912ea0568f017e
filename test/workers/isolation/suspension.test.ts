/** A suspended household is refused by every credential and every way in; another one is not affected. */
import { describe, expect, it } from "vitest";
import { buildReply } from "../../support/channels/mail.ts";
import { createMailHousehold, deliverMail } from "../ingress/email/mail-household.ts";
import { Caller, OPERATOR_KEY, ORIGIN, readRefusal, sendRequest } from "../support.ts";
import { listForeignCallers } from "./callers.ts";
import { useScene } from "./scene.ts";

const SUSPENDED = "403 household_suspended";
const operator = new Caller("operator", OPERATOR_KEY);
const getScene = useScene();

const setSuspended = (id: string, isSuspended: boolean): Promise<Response> =>
  operator.fetch(`/api/v1/households/${id}/suspension`, {
    method: isSuspended ? "PUT" : "DELETE",
  });

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  sendRequest(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

describe("a suspended household", () => {
  it("a suspended household is refused by every credential, webhook and page until it is resumed", async () => {
    const { victim: twin, attacker: other } = getScene();
    const { id } = twin.home;
    const ref = twin.shelf;
    const names = { ...twin.names, ref, jti: twin.link.jti };
    const callers = await listForeignCallers(twin, names);
    const file = `/mess/${ref}/attachments/none?ref=${ref}`;
    const ways: [way: string, call: () => Promise<Response>][] = [
      ...callers
        .filter(({ who }) => who !== "nobody")
        .map(({ who, headers }): [string, () => Promise<Response>] => [
          who,
          () => sendRequest(file, { headers }),
        ]),
      ["inbox", () => sendRequest("/inbox/threads", { headers: { Cookie: twin.cookies } })],
      ["webhook of a source", () => post(`/hooks/sources/${id}/${twin.names.source}`, {})],
      ["webhook of a channel", () => post(`/hooks/telegram/${id}`, {})],
      ["callback of a robot", () => post(`/hooks/executor/${id}/robo`, {})],
      ["page", () => post("/respond/renew", { token: twin.link.token }, { Origin: ORIGIN })],
    ];
    const tryAll = async (): Promise<[string, boolean][]> => {
      const tried: [string, boolean][] = [];
      for (const [way, call] of ways) {
        const response = await call();
        const isJson = response.headers.get("Content-Type")?.includes("json");
        tried.push([way, isJson === true && (await readRefusal(response)) === SUSPENDED]);
      }
      return tried;
    };
    const whetherRefused = (isRefused: boolean) => ways.map(([way]) => [way, isRefused]);
    expect(await tryAll()).toEqual(whetherRefused(false));

    expect((await setSuspended(id, true)).status).toBe(200);

    expect(await tryAll()).toEqual(whetherRefused(true));
    expect((await other.home.owner.fetch("/api/v1/household")).status).toBe(200);
    expect((await setSuspended(id, false)).status).toBe(200);
    expect(await tryAll()).toEqual(whetherRefused(false));
  });

  it("mail to a suspended household is rejected, and accepted again after it", async () => {
    const { id, sent } = await createMailHousehold();
    await setSuspended(id, true);

    const rejected = await deliverMail(buildReply(sent, { text: "on it" }));
    await setSuspended(id, false);
    const accepted = await deliverMail(buildReply(sent, { text: "on it" }));

    expect(rejected).toMatch(/^5\.7\.1 /);
    expect(accepted).toBeUndefined();
  });
});
