/** API keys, people with their sessions and passkeys, and grants to OAuth clients. */
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { HouseholdContext } from "../household-context.ts";
import type { CredentialId } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import { describeReading } from "./effective-role.ts";
import { isLive, permitLink } from "./end-access.ts";
import { addMemberKey, revokeMemberKey } from "./member-keys.ts";
import type {
  AnsweredChallenge,
  GrantInput,
  Invitation,
  KeyHolder,
  KeyInfo,
  LinkRequest,
  IdentityRpc,
  NewMemberKey,
  SessionKey,
  StoredPasskey,
} from "../../contracts/identity.ts";
import { addSessionKey, endSessionKey } from "./session-keys.ts";
import * as signIn from "./sign-in.ts";

export class IdentityFacet implements IdentityRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async authenticateKey(keyHash: string): Promise<KeyHolder | "expired" | null> {
    const stores = this.#context.openStores();
    const holder = stores?.credentials.authenticate(keyHash, Date.now()) ?? null;
    return stores && holder && holder !== "expired"
      ? { ...holder, ...describeReading(stores, holder.role) }
      : holder;
  }

  async isKnownKey(keyHash: string): Promise<boolean> {
    return this.#context.openStores()?.credentials.isKnown(keyHash) ?? false;
  }

  async addKey(key: NewMemberKey, by = EXCHANGE_SOURCE): Promise<Outcome<KeyInfo>> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      addMemberKey(stores, key, by, now),
    );
  }

  async listKeys(): Promise<KeyInfo[]> {
    return this.#context.openStores()?.credentials.list() ?? [];
  }

  async revokeKey(id: string, by = EXCHANGE_SOURCE): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) =>
      revokeMemberKey(stores, id, by, now),
    );
  }

  async invite(invitation: Invitation, by = EXCHANGE_SOURCE): ReturnType<IdentityRpc["invite"]> {
    return this.#context.transact((stores, now) => signIn.invite(stores, invitation, by, now));
  }

  async readInvitation(link: string): ReturnType<IdentityRpc["readInvitation"]> {
    return this.#context.transact((stores, now) => signIn.readInvitation(stores, link, now));
  }

  async acceptInvitation(link: string, session: string): ReturnType<IdentityRpc["readSession"]> {
    return this.#context.transact((stores, now) =>
      signIn.acceptInvitation(stores, link, session, now),
    );
  }

  async readSession(session: string): ReturnType<IdentityRpc["readSession"]> {
    return this.#context.transact((stores, now) => signIn.readSession(stores, session, now));
  }

  async endSession(session: string): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) => {
      signIn.signOut(stores, session, now);
      return ok(true as const);
    });
  }

  async isLive(credential: CredentialId): Promise<boolean> {
    const stores = this.#context.openStores();
    return stores !== undefined && isLive(stores, credential, Date.now());
  }

  async permitLink(request: LinkRequest): ReturnType<IdentityRpc["permitLink"]> {
    return this.#context.transact((stores, now) => permitLink(stores, request, now));
  }

  async permitSocket(credential: CredentialId, ref: string): Promise<Outcome<true>> {
    return this.#context.transact((stores, now) => {
      if (!isLive(stores, credential, now)) return refuseUnauthenticated();
      stores.revocations.recordUse(credential, ref, now);
      return ok(true as const);
    });
  }

  async addSessionKey(session: string, key: SessionKey): ReturnType<IdentityRpc["addSessionKey"]> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      addSessionKey(stores, session, key, now),
    );
  }

  async endSessionKey(
    credential: CredentialId | undefined,
    by = EXCHANGE_SOURCE,
  ): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) =>
      endSessionKey(stores, credential, by, now),
    );
  }

  async listPeople(): ReturnType<IdentityRpc["listPeople"]> {
    return this.#context.transact(({ people }, now) => ok(people.list(now)));
  }

  async removePerson(actor: string, by = EXCHANGE_SOURCE): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) =>
      signIn.removePerson(stores, actor, by, now),
    );
  }

  async findPasskey(id: string): ReturnType<IdentityRpc["findPasskey"]> {
    return this.#context.transact((stores) => signIn.findPasskey(stores, id));
  }

  async listSessionPasskeys(session: string): ReturnType<IdentityRpc["listSessionPasskeys"]> {
    return this.#context.transact((stores, now) =>
      signIn.listSessionPasskeys(stores, session, now),
    );
  }

  async addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor" | "verified">,
    answered: AnsweredChallenge,
  ): Promise<Outcome<true>> {
    return this.#context.transact((stores, now) =>
      signIn.addPasskey(stores, session, passkey, answered, now),
    );
  }

  async acceptPasskey(
    passkey: { id: string; counter: number },
    answered: AnsweredChallenge,
    session: string,
  ): ReturnType<IdentityRpc["readSession"]> {
    return this.#context.transact((stores, now) =>
      signIn.acceptPasskey(stores, passkey, answered, session, now),
    );
  }

  async createGrant(session: string, grant: GrantInput): ReturnType<IdentityRpc["createGrant"]> {
    return await this.#context.transactEndingAccess((stores, now) =>
      signIn.createGrant(stores, session, grant, now),
    );
  }

  async endReplacedGrants(session: string, ids: readonly string[]): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) =>
      signIn.endReplacedGrants(stores, session, ids, now),
    );
  }

  async findGrantHolder(id: string): ReturnType<IdentityRpc["findGrantHolder"]> {
    return this.#context.transact((stores, now) => signIn.findGrantHolder(stores, id, now));
  }

  async listGrants(): ReturnType<IdentityRpc["listGrants"]> {
    return this.#context.transact(({ grants }, now) => ok(grants.list(now)));
  }

  async revokeGrant(id: string, by = EXCHANGE_SOURCE): Promise<Outcome<true>> {
    return await this.#context.transactEndingAccess((stores, now) =>
      signIn.revokeGrant(stores, id, by, now),
    );
  }
}
