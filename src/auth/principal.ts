/** Who authenticated (decision 35): the only source of household, actor and role on every path. */
export type Role = "owner" | "agent" | "executor";
export const ROLES = ["owner", "agent", "executor"] as const;

export interface Principal {
  readonly household: string;
  /** Member id of the sender. */
  readonly actor: string;
  readonly role: Role;
  /** Set for the bearer of a link or of a callback's token: that thread only, and what may be done in it. */
  readonly scope?: {
    readonly ref: string;
    readonly permissions: readonly LinkPermission[];
    /** The link, which its thread can revoke. Absent for a callback's token, of which nothing is kept. */
    readonly jti?: string;
  };
}

export const LINK_PERMISSIONS = ["respond", "claim", "decline"] as const;
export type LinkPermission = (typeof LINK_PERMISSIONS)[number];
