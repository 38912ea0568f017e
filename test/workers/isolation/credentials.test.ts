/** Every way into the Worker and every kind of credential is tried against another household. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makeReplyCode } from "../../../src/auth/links/reply-codes.ts";
import { buildReply } from "../../support/channels/mail.ts";
import { deliverMail } from "../ingress/email/mail-household.ts";
import { readHouseholdContents } from "../reliability/store-contents.ts";
import { expectOkJson } from "../support.ts";
import { CREDENTIAL_KINDS } from "./credential-kinds.ts";
import { isPublic } from "./probe.ts";
import { ROUTE_PROBES } from "./route-probes.ts";
import { expectComplete, useScene } from "./scene.ts";
import { listCredentialKinds, listEntryPoints } from "./surface.ts";

const ANN_ADDRESS = "ann@example.com";

const getScene = useScene();

describe("isolation of households by credential", () => {
  it("the Worker receives requests and mails only", () => {
    expect(
      listEntryPoints().toSorted(),
      "a further handler of the Worker needs a probe in test/workers/isolation",
    ).toEqual(["email", "fetch"]);
  });

  it("every kind of credential in src is tried against another household or names none", () => {
    const hint =
      "these kinds need a caller or a probe, named in test/workers/isolation/credential-kinds.ts";
    expectComplete(CREDENTIAL_KINDS, listCredentialKinds(), hint);
    for (const use of Object.values(CREDENTIAL_KINDS)) {
      if ("caller" in use) expect(getScene().callers.map(([{ who }]) => who)).toContain(use.caller);
      if ("route" in use) expect(isPublic(ROUTE_PROBES[use.route]!), use.route).toBe(false);
    }
  });

  it("a mail that names another household's thread is rejected like one that names none", async () => {
    const { attacker, victim, absent, before } = getScene();
    const { owner, id: household } = attacker.home;
    await expectOkJson(
      await owner.postBlocks(
        { config: { dispatch: { email: { from: "tasks@mess.test" } } } },
        { config: { executor: { id: "ann", notify: { email: ANN_ADDRESS } } } },
      ),
    );
    const answer = async (ref: string): Promise<string | undefined> => {
      const code = await makeReplyCode(env.MESS_SECRET, { household, ref }, ANN_ADDRESS);
      const sent = {
        from: { email: "tasks@mess.test", name: "MESS" },
        to: ANN_ADDRESS,
        replyTo: `reply+${code}@mess.test`,
        subject: "A request",
        text: "",
        html: "",
        headers: {},
      };
      return await deliverMail(buildReply(sent, { text: "two eggs" }));
    };

    const foreign = await answer(victim.names.ref);
    const missing = await answer(absent.ref);

    expect(foreign).toMatch(/^5\.7\.1 /);
    expect(foreign).toBe(missing);
    expect(await answer(attacker.names.ref)).not.toBe(foreign);
    expect(await readHouseholdContents(victim.home.id)).toEqual(before);
  });
});
