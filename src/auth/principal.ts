/** Who authenticated (decision 35): the only source of household, actor and role on every path. */
export type Role = "owner" | "agent" | "executor";
export const ROLES = ["owner", "agent", "executor"] as const;

/**
 * What somebody authenticated with, as it is recorded in whatever is made with it: an API key by its id, an OAuth
 * grant by its id, a person's signed-in browser by the digest of its session.
 */
export type CredentialId = `key:${string}` | `grant:${string}` | `session:${string}`;

export interface Principal {
  readonly household: string;
  /** Member id of the sender. */
  readonly actor: string;
  readonly role: Role;
  /** Set for the bearer of a link or of a callback's token: that thread only, and what may be done in it. */
  readonly scope?: {
    readonly ref: string;
    readonly permissions: readonly LinkPermission[];
    /** The link, which its thread can revoke. Absent for a callback's token, which ends with the thread. */
    readonly jti?: string;
  };
  /** Links and sockets record it and end with it. Absent for links, callbacks and the exchange itself. */
  readonly credential?: CredentialId;
}

export const LINK_PERMISSIONS = ["respond", "claim", "decline"] as const;
export type LinkPermission = (typeof LINK_PERMISSIONS)[number];
