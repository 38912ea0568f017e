/** RPC surface of the household for API keys, people, sessions, passkeys and grants. Types only. */
import type { CredentialId, Role } from "../auth/principal.ts";
import type { AuditSource } from "./audit.ts";
import type { Outcome } from "../mess/errors.ts";

/** The member of a key, and the id by which the key is listed and revoked. */
export interface KeyHolder {
  id: string;
  actor: string;
  role: Role;
  /** Milliseconds since 1970; absent for a key without expiry. */
  expires?: number;
  /** Present for a key that is limited to message sources (`Principal.paths`). */
  paths?: string[];
  /** `Principal.readsAll`. */
  readsAll?: true;
}

/** The member and role of a grant. */
export interface GrantHolder {
  actor: string;
  role: Role;
  /** `Principal.readsAll`. */
  readsAll?: true;
}

export interface KeyInfo {
  id: string;
  actor: string;
  role: Role;
  /** Present for a key that is limited to message sources. */
  paths?: string[];
  label?: string;
  created: string;
  /** Absent for a key without expiry. */
  expires?: string;
  /** Up to an hour before the last use; absent for a key that was never used. */
  last_used?: string;
}

/** When a key expires: at an instant (milliseconds since 1970), or some seconds after its creation. */
export type KeyExpiry = { at: number } | { seconds: number };

export interface NewMemberKey {
  actor: string;
  role: Role;
  /** SHA-256 of the key in lower-case hex. */
  key_hash: string;
  label?: string;
  expiry?: KeyExpiry;
  /** Limits the key to message sources (`auth/message-paths.ts`). */
  paths?: readonly string[];
}

/** The person of a session or a sign-in link. */
export interface SignedInMember {
  actor: string;
  /** The member's name, or its id where it has no name. */
  name: string;
  role: Role;
  /** The household's name, or its id where it has no name. */
  household_name: string;
  /** `Principal.readsAll`. */
  readsAll?: true;
  /** The person has at least one passkey in this household; in a verified session, at least one verified passkey. */
  has_passkey: boolean;
  /** No API key can have opened the session, or made the link (`Principal.verified`). */
  verified?: true;
}

/** The key of a program that a person lets sign in. */
export interface SessionKey {
  /** At most the person's own role. */
  role: Role;
  /** SHA-256 of the key in lower-case hex. */
  key_hash: string;
  /** The program, as it describes itself. */
  label: string;
}

export interface PersonInfo {
  actor: string;
  role: Role;
  passkeys: number;
  /** Number of browsers that are signed in. */
  sessions: number;
  since: string;
}

export interface Invitation {
  actor: string;
  /** Required for a new member without a key; an existing person keeps its role. */
  role?: Role;
  /** SHA-256 of the link's token in hex. */
  hash: string;
  /** The deployment's operator invites: only owners, whose session is then verified. */
  by_operator?: true;
  /** The key that creates the link. The link and its session end when that key is revoked. */
  made_with?: CredentialId;
}

/** A link to the thread `ref` that is about to be created. */
export interface LinkRequest {
  credential: CredentialId;
  executor: string;
  ref: string;
}

export interface StoredPasskey {
  /** The credential's id, base64url. */
  id: string;
  actor: string;
  /** COSE key. */
  public_key: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
  /** The households in which the passkey was registered together. */
  households: string[];
  /** It was registered in a verified session, so that sessions which it opens are verified too. */
  verified: boolean;
}

/** An answered challenge, which is valid for one use. */
export interface AnsweredChallenge {
  challenge: string;
  /** Milliseconds since 1970. */
  expires: number;
}

export interface GrantInput {
  id: string;
  client_id: string;
  /** The client's name, as the client states it. */
  client: string;
  /** The host of its redirect URI, which receives the tokens. */
  host: string;
  /** The client's part of the id of the member that it acts as. */
  label: string;
  role: Role;
}

export interface CreatedGrant {
  actor: string;
  role: Role;
  /** Ids of the grants that this one replaced here. */
  replaced: string[];
}

export interface GrantInfo {
  id: string;
  /** The person who granted access. */
  person: string;
  /** The member that the client acts as. */
  actor: string;
  role: Role;
  client: string;
  host: string;
  created: string;
  /** Day of the last use. */
  used: string;
}

/**
 * Sessions and links are identified by the SHA-256 of their secret, in hex. `by` is recorded in the audit trail; without
 * it, the exchange is.
 */
export interface IdentityRpc {
  /**
   * Returns the member whose key has this SHA-256 (hex), or null; records the use at most once an hour. Creates nothing
   * where the household does not exist.
   */
  authenticateKey(keyHash: string): Promise<KeyHolder | "expired" | null>;
  /** True for a key that was added before, also if it has ended since. */
  isKnownKey(keyHash: string): Promise<boolean>;
  addKey(key: NewMemberKey, by?: AuditSource): Promise<Outcome<KeyInfo>>;
  listKeys(): Promise<KeyInfo[]>;
  revokeKey(id: string, by?: AuditSource): Promise<Outcome<true>>;

  /** Stores a one-time sign-in link; makes the member a person if it is not one yet. */
  invite(
    invitation: Invitation,
    by?: AuditSource,
  ): Promise<Outcome<{ actor: string; role: Role; expires: string }>>;
  /** Returns the person of the link without using the link up. */
  readInvitation(link: string): Promise<Outcome<SignedInMember>>;
  /** Consumes the link and begins the session. */
  acceptInvitation(link: string, session: string): Promise<Outcome<SignedInMember>>;
  readSession(session: string): Promise<Outcome<SignedInMember>>;
  endSession(session: string): Promise<Outcome<true>>;
  /** False where the credential was revoked or its person removed; used to validate cached credentials. */
  isLive(credential: CredentialId): Promise<boolean>;
  /** Must be called before creating a link: records that the thread holds a link of the credential. */
  permitLink(request: LinkRequest): Promise<Outcome<{ membership: number }>>;
  /** Like `permitLink`, before the thread accepts a live socket. */
  permitSocket(credential: CredentialId, ref: string): Promise<Outcome<true>>;
  listPeople(): Promise<Outcome<PersonInfo[]>>;
  /** Adds a key that acts as the session's person, for a year. It ends with the person's access. */
  addSessionKey(session: string, key: SessionKey): Promise<Outcome<{ actor: string; role: Role }>>;
  /** Ends the key with which it is called, if it was added by `addSessionKey`. */
  endSessionKey(credential: CredentialId | undefined, by?: AuditSource): Promise<Outcome<true>>;
  /** Ends the person's passkeys, sessions, links, grants and the keys of their programs. Other API keys must be revoked separately. */
  removePerson(actor: string, by?: AuditSource): Promise<Outcome<true>>;

  findPasskey(id: string): Promise<Outcome<StoredPasskey>>;
  listSessionPasskeys(session: string): Promise<Outcome<StoredPasskey[]>>;
  addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor" | "verified">,
    answered: AnsweredChallenge,
  ): Promise<Outcome<true>>;
  /** Begins a session for a passkey whose signature was verified. */
  acceptPasskey(
    passkey: { id: string; counter: number },
    answered: AnsweredChallenge,
    session: string,
  ): Promise<Outcome<SignedInMember>>;

  /** Replaces the earlier grant of the session's person to the client. */
  createGrant(session: string, grant: GrantInput): Promise<Outcome<CreatedGrant>>;
  /** Ends the rest of grants that another household has replaced, if the session's person gave them. */
  endReplacedGrants(session: string, ids: readonly string[]): Promise<Outcome<true>>;
  findGrantHolder(id: string): Promise<Outcome<GrantHolder>>;
  listGrants(): Promise<Outcome<GrantInfo[]>>;
  revokeGrant(id: string, by?: AuditSource): Promise<Outcome<true>>;
}
