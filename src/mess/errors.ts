import type { ReservationMode } from "./reservations/limits.ts";
import { fail, type Result } from "./result.ts";

/**
 * Every error code of the exchange with its HTTP status. The code is stable: clients may switch on it.
 * The message of an error says what is wrong, the hint says how to fix the call.
 */
export const ERRORS = {
  // The body cannot be read.
  bad_encoding: 400,
  bad_yaml: 400,
  bad_json: 400,
  duplicate_key: 400,
  forbidden_yaml: 400,
  forbidden_key: 400,
  too_deep: 400,
  too_many_documents: 413,
  too_large: 413,
  empty_message: 400,
  unsupported_media_type: 415,
  not_acceptable: 406,
  bad_multipart: 400,
  length_required: 411,
  incomplete_body: 400,
  request_timeout: 408,
  // The message cannot be understood.
  unknown_type: 400,
  bad_shape: 400,
  missing_field: 400,
  bad_field: 400,
  bad_ref: 400,
  bad_time: 400,
  bad_duration: 400,
  bad_parameter: 400,
  bad_attachment: 400,
  unsupported_version: 400,
  reserved_id: 400,
  missing_target: 400,
  unsafe_message: 400,
  // The caller.
  unauthenticated: 401,
  key_expired: 401,
  wrong_role: 403,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  wrong_exchange: 403,
  registration_closed: 403,
  link_dead: 410,
  thread_deleted: 410,
  household_suspended: 403,
  // The things to which a call refers.
  not_found: 404,
  ambiguous_ref: 409,
  unknown_dependency: 422,
  dependency_cycle: 422,
  unknown_executor: 422,
  unknown_attachment: 422,
  unknown_reference: 422,
  unknown_question: 422,
  // The state of the thread.
  already_claimed: 409,
  not_holder: 409,
  thread_finished: 409,
  illegal_transition: 409,
  confirmation_required: 409,
  no_open_question: 409,
  thread_full: 409,
  already_exists: 409,
  idempotency_conflict: 409,
  last_owner_key: 409,
  // AI groups.
  unknown_member: 404,
  several_memberships: 409,
  group_closed: 409,
  group_full: 409,
  nobody_available: 409,
  handoff_pending: 409,
  // Reservations.
  reserved: 409,
  // Message sources.
  source_disconnected: 409,
  source_full: 409,
  cannot_send: 409,
  person_required: 403,
  draft_changed: 409,
  draft_finished: 409,
  bad_verdict: 422,
  // Transport.
  method_not_allowed: 405,
  upgrade_required: 426,
  offset_conflict: 409,
  bad_range: 416,
  rate_limited: 429,
  too_many: 429,
  storage_full: 413,
  // Import.
  bad_archive: 400,
  bad_thread_file: 400,
  // The exchange itself.
  index_unavailable: 503,
  internal: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERRORS;

/** Reason of a refusal: the client id names another recent request, whose ref is in `valid`. */
export const ID_REUSED = "id_reused";

/** The place in the sender's text that an error is about; lines and columns count from 1. */
export interface SourcePlace {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A reservation by somebody else that is in the way of a call. */
export interface ConflictingReservation {
  readonly name: string;
  readonly mode: ReservationMode;
  /** Member id of the holder. */
  readonly held_by: string;
  /** The holder's id in an AI group. */
  readonly as?: string;
  /** ISO 8601. */
  readonly until: string;
  readonly reason?: string;
}

export interface MessError extends SourcePlace {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** The valid values, where they are a short list: candidates, fields, members. */
  readonly valid?: readonly string[];
  /** The cause, where one code has several causes that a page distinguishes: why a link is inactive. */
  readonly reason?: string;
  /** Seconds after which the call may succeed; over HTTP also in the header Retry-After. */
  readonly retry_after?: number;
  /** The final status of the thread, where that is the cause. */
  readonly status?: string;
  /** The reason that somebody gave for that final status. */
  readonly note?: string;
  /** Where the code is `reserved`, or `not_holder` of a reservation: those in the way, at most ten. */
  readonly reservations?: readonly ConflictingReservation[];
  /** Further errors of the same body, each with its place. */
  readonly more?: readonly MessError[];
}

export type Outcome<T> = Result<T, MessError>;

/** Builds a failed Outcome. `hint` is one sentence that says how to fix the call. */
export const refuse = (
  code: ErrorCode,
  message: string,
  hint: string,
  extra: Partial<Omit<MessError, "code" | "message" | "hint">> = {},
): { readonly ok: false; readonly error: MessError } => fail({ code, message, hint, ...extra });
