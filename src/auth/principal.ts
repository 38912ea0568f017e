/** The authenticated caller (decision 35): the only source of household, actor and role on every path. */
export type Role = "owner" | "member" | "agent" | "executor";
/** From the highest to the lowest. */
export const ROLES = ["owner", "member", "agent", "executor"] as const;

/**
 * The credential of a caller, which is recorded with everything made by it: the id of an API key, the id of an OAuth
 * grant, or the digest of a person's browser session.
 */
export type CredentialId = `key:${string}` | `grant:${string}` | `session:${string}`;

/** True for a person who signed in on a page. */
export const isBrowserSession = (credential: string | undefined): boolean =>
  credential?.startsWith("session:") === true;

export interface Principal {
  readonly household: string;
  /** Member id of the caller. */
  readonly actor: string;
  readonly role: Role;
  /** May read every thread of the household, without a part in it: a member of a household whose threads are open. */
  readonly readsAll?: true;
  /** Set for the bearer of a link or callback token: limits it to one thread and to these permissions. */
  readonly scope?: {
    readonly ref: string;
    readonly permissions: readonly LinkPermission[];
    /** Id of the link, which its thread can revoke. Absent for a callback token, which ends with the thread. */
    readonly jti?: string;
  };
  /**
   * Set for a credential that is limited to message sources, such as `msg/email` (read) or `msg/email/outbox` (draft).
   * It can do nothing else.
   */
  readonly paths?: readonly string[];
  /** Set for a browser session that no API key can have opened. Only in such a one an owner decides what is sent. */
  readonly verified?: true;
  /** Links and sockets record it and end with it. Absent for links, callbacks and the exchange itself. */
  readonly credential?: CredentialId;
}

/** True for an owner who certainly acts in person on a page (decision 162). */
export const isVerifiedOwner = ({ role, credential, verified, scope, paths }: Principal): boolean =>
  role === "owner" && isBrowserSession(credential) && verified === true && !scope && !paths;

export const LINK_PERMISSIONS = ["respond", "claim", "decline"] as const;
export type LinkPermission = (typeof LINK_PERMISSIONS)[number];
