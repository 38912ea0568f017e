/** The part of the household's object for people: sign-in, passkeys, and grants to OAuth clients. */
import { DurableObject } from "cloudflare:workers";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { HouseholdContext } from "../household-context.ts";
import type { CredentialId } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Stores } from "../stores.ts";
import { endSession, isLive, permitLink } from "./end-access.ts";
import type {
  AnsweredChallenge,
  GrantInput,
  Invitation,
  LinkRequest,
  IdentityRpc,
  StoredPasskey,
} from "../../contracts/identity.ts";
import * as signIn from "./sign-in.ts";

export class IdentityObject extends DurableObject<Env> implements IdentityRpc {
  protected readonly context = new HouseholdContext(this.ctx, this.env);

  async invite(invitation: Invitation): ReturnType<IdentityRpc["invite"]> {
    return this.context.transact((stores, now) => signIn.invite(stores, invitation, now));
  }

  async readInvitation(link: string): ReturnType<IdentityRpc["readInvitation"]> {
    return this.context.transact((stores, now) => signIn.readInvitation(stores, link, now));
  }

  async acceptInvitation(link: string, session: string): ReturnType<IdentityRpc["readSession"]> {
    return this.context.transact((stores, now) =>
      signIn.acceptInvitation(stores, link, session, now),
    );
  }

  async readSession(session: string): ReturnType<IdentityRpc["readSession"]> {
    return this.context.transact((stores, now) => signIn.readSession(stores, session, now));
  }

  async endSession(session: string): Promise<Outcome<true>> {
    return await this.#runEndingAccess((stores, now) => {
      endSession(stores, session, now);
      return ok(true as const);
    });
  }

  async isLive(credential: CredentialId): Promise<boolean> {
    const stores = this.context.openStores();
    return stores !== undefined && isLive(stores, credential, Date.now());
  }

  async permitLink(request: LinkRequest): ReturnType<IdentityRpc["permitLink"]> {
    return this.context.transact((stores, now) => permitLink(stores, request, now));
  }

  async permitSocket(credential: CredentialId, ref: string): Promise<Outcome<true>> {
    return this.context.transact((stores, now) => {
      if (!isLive(stores, credential, now)) return refuseUnauthenticated();
      stores.revocations.recordUse(credential, ref, now);
      return ok(true as const);
    });
  }

  async listPeople(): ReturnType<IdentityRpc["listPeople"]> {
    return this.context.transact(({ people }, now) => ok(people.list(now)));
  }

  async removePerson(actor: string): Promise<Outcome<true>> {
    return await this.#runEndingAccess((stores, now) => signIn.removePerson(stores, actor, now));
  }

  async findPasskey(id: string): ReturnType<IdentityRpc["findPasskey"]> {
    return this.context.transact((stores) => signIn.findPasskey(stores, id));
  }

  async listSessionPasskeys(session: string): ReturnType<IdentityRpc["listSessionPasskeys"]> {
    return this.context.transact((stores, now) => signIn.listSessionPasskeys(stores, session, now));
  }

  async addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor">,
    answered: AnsweredChallenge,
  ): Promise<Outcome<true>> {
    return this.context.transact((stores, now) =>
      signIn.addPasskey(stores, session, passkey, answered, now),
    );
  }

  async acceptPasskey(
    passkey: { id: string; counter: number },
    answered: AnsweredChallenge,
    session: string,
  ): ReturnType<IdentityRpc["readSession"]> {
    return this.context.transact((stores, now) =>
      signIn.acceptPasskey(stores, passkey, answered, session, now),
    );
  }

  async createGrant(session: string, grant: GrantInput): ReturnType<IdentityRpc["createGrant"]> {
    return await this.#runEndingAccess((stores, now) =>
      signIn.createGrant(stores, session, grant, now),
    );
  }

  async replaceGrant(session: string, clientId: string): Promise<Outcome<true>> {
    return await this.#runEndingAccess((stores, now) =>
      signIn.replaceGrant(stores, session, clientId, now),
    );
  }

  async findGrantHolder(id: string): ReturnType<IdentityRpc["findGrantHolder"]> {
    return this.context.transact((stores, now) => signIn.findGrantHolder(stores, id, now));
  }

  async listGrants(): ReturnType<IdentityRpc["listGrants"]> {
    return this.context.transact(({ grants }, now) => ok(grants.list(now)));
  }

  async revokeGrant(id: string): Promise<Outcome<true>> {
    return await this.#runEndingAccess((stores, now) => signIn.revokeGrant(stores, id, now));
  }

  /** Runs a transaction in which credentials end, then closes the sockets and links that were made with them. */
  async #runEndingAccess<T>(
    work: (stores: Stores, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const done = this.context.transact(work);
    if (done.ok) await this.context.enforceAccessEnd();
    return done;
  }
}
