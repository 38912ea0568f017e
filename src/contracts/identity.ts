/** The part of the household's RPC surface that concerns people who sign in, and what they grant. Types only. */
import type { CredentialId, Role } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";

/** A person of this household, as a session or a link of its shows it. */
export interface SignedInMember {
  actor: string;
  role: Role;
  /** The household's name; its id where it has none. */
  household_name: string;
  /** The person has at least one passkey here. */
  has_passkey: boolean;
}

export interface PersonInfo {
  actor: string;
  role: Role;
  passkeys: number;
  /** Browsers that are signed in. */
  sessions: number;
  since: string;
}

export interface Invitation {
  actor: string;
  /** Needed for a member that is new and holds no key; a person keeps its role. */
  role?: Role;
  /** SHA-256 of the link's token in hex. */
  hash: string;
  /** The deployment's operator lets owners in, and nobody else. */
  owners_only?: boolean;
  /** The key that the link is made with: the link and the session that begins by it end with that key. */
  made_with?: CredentialId;
}

/** A link to the thread `ref` that is about to be made. */
export interface LinkRequest {
  credential: CredentialId;
  executor: string;
  ref: string;
}

export interface StoredPasskey {
  /** The credential's id, base64url. */
  id: string;
  actor: string;
  /** COSE. */
  public_key: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
  /** Every household in which the same passkey was registered in the same step. */
  households: string[];
}

/** A challenge that was answered: good for one answer. */
export interface AnsweredChallenge {
  challenge: string;
  /** Milliseconds since 1970. */
  expires: number;
}

export interface GrantInput {
  id: string;
  client_id: string;
  /** The client's name, as it calls itself. */
  client: string;
  /** Where its tokens go: the host of its redirect. */
  host: string;
  /** Names the client in the id of the member as which it acts. */
  label: string;
  role: Role;
}

export interface GrantInfo {
  id: string;
  /** Who granted it. */
  person: string;
  /** The member as which the client acts. */
  actor: string;
  role: Role;
  client: string;
  host: string;
  created: string;
  /** To the day. */
  used: string;
}

/** Sessions and links are named by the SHA-256 of their secret, in hex. */
export interface IdentityRpc {
  /** Prepares a one-time sign-in link, making the member a person where it is none. */
  invite(invitation: Invitation): Promise<Outcome<{ actor: string; role: Role; expires: string }>>;
  /** Whom the link would let in; it stays as it is. */
  readInvitation(link: string): Promise<Outcome<SignedInMember>>;
  /** Uses the link up and begins the session. */
  acceptInvitation(link: string, session: string): Promise<Outcome<SignedInMember>>;
  readSession(session: string): Promise<Outcome<SignedInMember>>;
  endSession(session: string): Promise<Outcome<true>>;
  /** False once the credential was revoked, or its person removed: what an isolate remembers of it does not count. */
  isLive(credential: CredentialId): Promise<boolean>;
  /** Asked before a link is made: notes that the thread holds something of the credential. */
  permitLink(request: LinkRequest): Promise<Outcome<{ membership: number }>>;
  /** The same before the thread accepts a live socket. */
  permitSocket(credential: CredentialId, ref: string): Promise<Outcome<true>>;
  listPeople(): Promise<Outcome<PersonInfo[]>>;
  /** Ends the person's passkeys, sessions, links and grants here. Keys are revoked by themselves. */
  removePerson(actor: string): Promise<Outcome<true>>;

  findPasskey(id: string): Promise<Outcome<StoredPasskey>>;
  listSessionPasskeys(session: string): Promise<Outcome<StoredPasskey[]>>;
  addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor">,
    answered: AnsweredChallenge,
  ): Promise<Outcome<true>>;
  /** Begins a session for the holder of a passkey whose signature was verified. */
  acceptPasskey(
    passkey: { id: string; counter: number },
    answered: AnsweredChallenge,
    session: string,
  ): Promise<Outcome<SignedInMember>>;

  createGrant(session: string, grant: GrantInput): Promise<Outcome<{ actor: string; role: Role }>>;
  /** Ends what the person of this session granted to the client before. */
  replaceGrant(session: string, clientId: string): Promise<Outcome<true>>;
  findGrantHolder(id: string): Promise<Outcome<{ actor: string; role: Role }>>;
  listGrants(): Promise<Outcome<GrantInfo[]>>;
  revokeGrant(id: string): Promise<Outcome<true>>;
}
