/** The household's object as people meet it: signing in, passkeys, and what they grant to clients. */
import { DurableObject } from "cloudflare:workers";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { Home } from "../household-context.ts";
import type { CredentialId } from "../../auth/principal.ts";
import { unauthenticated } from "../../auth/unauthenticated.ts";
import type { Stores } from "../stores.ts";
import { endSession, isLive, permitLink } from "./end-access.ts";
import type {
  Answered,
  GrantInput,
  Invitation,
  LinkRequest,
  PeopleRpc,
  StoredPasskey,
} from "../../contracts/identity.ts";
import * as signIn from "./sign-in.ts";

export class PeopleObject extends DurableObject<Env> implements PeopleRpc {
  protected readonly home = new Home(this.ctx, this.env);

  async invite(invitation: Invitation): ReturnType<PeopleRpc["invite"]> {
    return this.home.within((stores, now) => signIn.invite(stores, invitation, now));
  }

  async invited(link: string): ReturnType<PeopleRpc["invited"]> {
    return this.home.within((stores, now) => signIn.invited(stores, link, now));
  }

  async acceptInvitation(link: string, session: string): ReturnType<PeopleRpc["inSession"]> {
    return this.home.within((stores, now) => signIn.acceptInvitation(stores, link, session, now));
  }

  async inSession(session: string): ReturnType<PeopleRpc["inSession"]> {
    return this.home.within((stores, now) => signIn.inSession(stores, session, now));
  }

  async endSession(session: string): Promise<Outcome<true>> {
    return await this.#ending((stores, now) => {
      endSession(stores, session, now);
      return ok(true as const);
    });
  }

  async isLive(credential: CredentialId): Promise<boolean> {
    const stores = this.home.open();
    return stores !== undefined && isLive(stores, credential, Date.now());
  }

  async permitLink(request: LinkRequest): ReturnType<PeopleRpc["permitLink"]> {
    return this.home.within((stores, now) => permitLink(stores, request, now));
  }

  async permitSocket(credential: CredentialId, ref: string): Promise<Outcome<true>> {
    return this.home.within((stores, now) => {
      if (!isLive(stores, credential, now)) return unauthenticated();
      stores.revocations.recordUse(credential, ref, now);
      return ok(true as const);
    });
  }

  async people(): ReturnType<PeopleRpc["people"]> {
    return this.home.within(({ people }, now) => ok(people.list(now)));
  }

  async removePerson(actor: string): Promise<Outcome<true>> {
    return await this.#ending((stores, now) => signIn.removePerson(stores, actor, now));
  }

  async passkey(id: string): ReturnType<PeopleRpc["passkey"]> {
    return this.home.within((stores) => signIn.passkey(stores, id));
  }

  async passkeysInSession(session: string): ReturnType<PeopleRpc["passkeysInSession"]> {
    return this.home.within((stores, now) => signIn.passkeysInSession(stores, session, now));
  }

  async addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor">,
    answered: Answered,
  ): Promise<Outcome<true>> {
    return this.home.within((stores, now) =>
      signIn.addPasskey(stores, session, passkey, answered, now),
    );
  }

  async acceptPasskey(
    passkey: { id: string; counter: number },
    answered: Answered,
    session: string,
  ): ReturnType<PeopleRpc["inSession"]> {
    return this.home.within((stores, now) =>
      signIn.acceptPasskey(stores, passkey, answered, session, now),
    );
  }

  async grant(session: string, grant: GrantInput): ReturnType<PeopleRpc["grant"]> {
    return await this.#ending((stores, now) => signIn.grant(stores, session, grant, now));
  }

  async replaceGrant(session: string, clientId: string): Promise<Outcome<true>> {
    return await this.#ending((stores, now) => signIn.replaceGrant(stores, session, clientId, now));
  }

  async grantHolder(id: string): ReturnType<PeopleRpc["grantHolder"]> {
    return this.home.within((stores, now) => signIn.grantHolder(stores, id, now));
  }

  async grants(): ReturnType<PeopleRpc["grants"]> {
    return this.home.within(({ grants }, now) => ok(grants.list(now)));
  }

  async revokeGrant(id: string): Promise<Outcome<true>> {
    return await this.#ending((stores, now) => signIn.revokeGrant(stores, id, now));
  }

  /** A transaction in which credentials end, and with them what listens or was given out by them. */
  async #ending<T>(work: (stores: Stores, now: number) => Outcome<T>): Promise<Outcome<T>> {
    const done = this.home.within(work);
    if (done.ok) await this.home.accessEnded();
    return done;
  }
}
