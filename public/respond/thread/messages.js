/**
 * The actions of a person in a thread and the messages for them (protocol §4, §5, decisions 13, 16 to 36). Pure.
 * The server decides which actions are allowed (`may`).
 */

/** @typedef {Record<string, any>} Values values of the action's form */

/** In display order. */
export const ACTIONS = /** @type {const} */ ([
  "respond",
  "completed",
  "claim",
  "in_progress",
  "needs_input",
  "needs_confirmation",
  "waiting",
  "held",
  "resume",
  "partial",
  "delegate",
  "suggest",
  "followup",
  "decline",
  "failed",
  "reject",
]);

/** @typedef {(typeof ACTIONS)[number]} Action */

/** Other names of actions in server responses. @type {Record<string, Action>} */
const ALIASES = {
  response: "respond",
  answer: "respond",
  complete: "completed",
  done: "completed",
  claimed: "claim",
  declined: "decline",
  need_info: "needs_input",
  needs_info: "needs_input",
  confirm: "needs_confirmation",
  progress: "in_progress",
  wait: "waiting",
  hold: "held",
  delegated: "delegate",
  suggestion: "suggest",
  fail: "failed",
  note: "followup",
  message: "followup",
};

/** @param {string} action @returns {Action | undefined} */
export const toAction = (action) =>
  ALIASES[action] ?? ACTIONS.find((act) => act === action.toLowerCase().replaceAll("-", "_"));

const PAUSED = ["waiting", "held"];

/**
 * @param {ThreadState} state
 * @returns {Map<Action, Omit<ActionPermission, "action">>}
 */
export function getAllowed(state) {
  /** @type {Map<Action, Omit<ActionPermission, "action">>} */
  const may = new Map();
  for (const { action, ...said } of state.may) {
    const act = toAction(action);
    if (act) may.set(act, said);
  }
  // Resuming means to be in progress again.
  const working = may.get("in_progress");
  if (!may.has("resume") && working) may.set("resume", working);
  if (!PAUSED.includes(state.envelope.status)) may.delete("resume");
  if (getDecision(state) === "delegated" && hasSteppedBack(state)) may.delete("claim");
  if (may.get("delegate")?.allowed && state.members?.length === 0)
    may.set("delegate", { allowed: false, reason: "no_member" });
  return may;
}

const DECISIONS = ["claimed", "in_progress", "completed", "declined", "delegated", "failed"];

/** The last time this person took the task or left it. @param {ThreadState} state */
const getDecision = ({ envelope, me }) =>
  envelope.history?.findLast(({ by, action }) => by === me.executor && DECISIONS.includes(action))
    ?.action;

/** True after this person declined, failed or handed the task over. @param {ThreadState} state */
export const hasSteppedBack = (state) =>
  state.envelope.executor !== state.me.executor &&
  ["declined", "delegated", "failed"].includes(getDecision(state) ?? "");

const ENDED = [
  "completed",
  "failed",
  "declined",
  "expired",
  "cancelled",
  "superseded",
  "delegated",
];

/** @param {string} status */
export const isEnded = (status) => ENDED.includes(status);

/** Actions that are sent after the undo delay. */
const UNDOABLE = [
  "reject",
  "respond",
  "completed",
  "decline",
  "failed",
  "partial",
  "delegate",
  "followup",
];

/** @param {string} act */
export const canUndo = (act) => UNDOABLE.includes(act);

/** Actions without a form. @type {readonly Action[]} */
export const ONE_TAP = ["respond", "completed", "resume"];

/** Actions that include the answer form. */
export const WITH_ANSWER = ["respond", "completed", "partial", "followup"];

/**
 * @param {Answer} answer
 * @returns {boolean}
 */
export const isEmpty = ({ text, notes, files, place, values }) =>
  text.trim() === "" &&
  notes.trim() === "" &&
  files.length === 0 &&
  place === undefined &&
  Object.keys(values).length === 0;

/**
 * The answer as typed entries of a response (protocol §2.2).
 * @param {Answer} answer
 * @param {readonly FieldSpec[]} fields
 * @returns {Json[]}
 */
export function toEntries(answer, fields) {
  const confirmations = new Set(
    fields.filter(({ confirmation }) => confirmation).map(({ key }) => key),
  );
  const values = Object.entries(answer.values);
  const structured = values.filter(([key]) => !confirmations.has(key));
  return [
    ...(answer.text.trim() === "" ? [] : [{ text: answer.text.trim() }]),
    ...values
      .filter(([key]) => confirmations.has(key))
      .map(([, value]) => ({ confirmation: value === true })),
    ...(structured.length === 0 ? [] : [{ structured: Object.fromEntries(structured) }]),
    ...answer.files.map(({ id, kind, name, mime, size }) => ({
      [kind]: { file: `local:${id}`, name, mime, size },
    })),
    ...(answer.place ? [{ location: /** @type {JsonMap} */ ({ ...answer.place }) }] : []),
  ];
}

/** @param {unknown} text @param {string} key @returns {JsonMap} */
const given = (text, key) => {
  const plain = typeof text === "string" ? text.trim() : "";
  return plain === "" ? {} : { [key]: plain };
};

/** @param {unknown} text @returns {string[]} */
export const lines = (text) =>
  String(text ?? "")
    .split("\n")
    .map((line) => line.replace(/^[-*•]\s+/, "").trim())
    .filter((line) => line !== "");

/**
 * @param {string} re
 * @param {Answer} answer
 * @param {readonly FieldSpec[]} fields
 * @param {unknown} [approval]
 * @returns {JsonMap[]} no block when the answer is empty
 */
function response(re, answer, fields, approval) {
  if (isEmpty(answer)) return [];
  const content = [...toApproval(approval), ...toEntries(answer, fields)];
  return [{ response: { re, content, ...given(answer.notes, "notes") } }];
}

/** The verdict on the requestor's draft. @param {unknown} approval `unchanged` or `edited` @returns {Json[]} */
const toApproval = (approval) =>
  approval === undefined
    ? []
    : [{ confirmation: { confirmed: true, edited: approval === "edited" } }];

/** @param {string} re @param {string} code @param {JsonMap} [more] @returns {JsonMap} */
const status = (re, code, more = {}) => ({ status: { re, code, ...more } });

/** @param {Values} values @returns {JsonMap} */
function waitingFor(values) {
  switch (values["type"]) {
    case "dependency":
      return { type: "dependency", ref: lines(values["what"]) };
    case "resource":
      return { type: "resource", ...given(values["what"], "resource") };
    case "access":
      return { type: "access", ...given(values["what"], "location") };
    case "schedule":
      return {
        type: "schedule",
        ...given(values["available_at"], "available_at"),
        ...given(values["what"], "note"),
      };
    default:
      return { type: "condition", ...given(values["what"], "condition") };
  }
}

/** A thread ref. */
const REF = /^\d{4}-\d\d-\d\d-\d{3,}/;

/** @param {string} re @param {Values} values @returns {JsonMap} */
function suggestion(re, values) {
  const what = typeof values["what"] === "string" ? values["what"].trim() : "";
  switch (values["type"]) {
    case "merge": {
      const others = lines(what).filter((line) => REF.test(line));
      const words = lines(what).filter((line) => !REF.test(line));
      return { proposed: { combined_intent: words.join(" "), with: [re, ...others] } };
    }
    case "split":
      return { proposed: { intents: lines(what) } };
    case "delegate":
      return { proposed: { executor: String(values["to"] ?? what) } };
    case "defer":
      return { proposed: { ...given(values["available_at"], "until"), ...given(what, "note") } };
    default:
      return { proposed: { intent: what } };
  }
}

/**
 * The message blocks of an action.
 * @param {Action} act
 * @param {string} re the thread's ref
 * @param {Values} values
 * @param {Answer} answer used by the actions in `WITH_ANSWER`
 * @param {readonly FieldSpec[]} fields
 * @returns {JsonMap[]}
 */
export function toBlocks(act, re, values, answer, fields) {
  switch (act) {
    case "respond":
      return response(re, answer, fields);
    case "completed":
      return [
        ...response(re, answer, fields, values["approval"]),
        status(re, "completed", given(values["message"], "message")),
      ];
    case "reject":
      return [
        {
          response: {
            re,
            content: [
              { confirmation: { confirmed: false, ...given(values["reason"], "details") } },
            ],
          },
        },
        status(re, "completed"),
      ];
    case "claim":
      return [status(re, "claimed", given(values["estimate"], "estimate"))];
    case "decline":
      return [status(re, "declined", given(values["reason"], "reason"))];
    case "needs_input":
      return [status(re, "needs_input", { questions: values["questions"] ?? [] })];
    case "needs_confirmation":
      return [
        status(re, "needs_confirmation", {
          ...given(values["action"], "action"),
          ...given(values["consequences"], "consequences"),
          ...(typeof values["reversible"] === "boolean"
            ? { reversible: values["reversible"] }
            : {}),
        }),
      ];
    case "in_progress":
      return [
        status(re, "in_progress", {
          ...(typeof values["progress_pct"] === "number"
            ? { progress_pct: values["progress_pct"] }
            : {}),
          ...given(values["message"], "message"),
          ...given(values["estimate"], "estimate"),
        }),
      ];
    case "resume":
      return [status(re, "in_progress", given(values["message"], "message"))];
    case "waiting":
      return [status(re, "waiting", { waiting_for: waitingFor(values) })];
    case "held":
      return [status(re, "held", given(values["reason"], "reason"))];
    case "partial":
      return [
        ...response(re, answer, fields),
        status(re, "partial", {
          completed: lines(values["completed"]),
          remaining: lines(values["remaining"]),
          ...given(values["reason"], "reason"),
        }),
      ];
    case "failed":
      return [
        status(re, "failed", {
          ...given(values["reason"], "reason"),
          recoverable: values["recoverable"] === true,
        }),
      ];
    case "delegate":
      return [
        status(re, "delegated", {
          ...given(values["to"], "delegated_to"),
          ...given(values["reason"], "reason"),
        }),
      ];
    case "suggest":
      return [
        {
          suggestion: {
            re,
            type: String(values["type"] ?? "alternative"),
            ...suggestion(re, values),
            ...given(values["reason"], "reason"),
          },
        },
      ];
    case "followup": {
      const entries = toEntries({ ...answer, text: "" }, fields);
      const message = [answer.text, answer.notes]
        .map((text) => text.trim())
        .filter(Boolean)
        .join("\n\n");
      return [
        {
          followup: {
            re,
            ...given(message, "message"),
            ...(entries.length > 0 ? { context: entries } : {}),
          },
        },
      ];
    }
  }
}

/**
 * The verdict in the blocks of an action; undefined if they answer no draft.
 * @param {readonly JsonMap[]} blocks
 * @returns {"approve" | "approve_edited" | "reject" | undefined}
 */
export function getVerdict(blocks) {
  const body = /** @type {any} */ (blocks.find((block) => "response" in block)?.["response"]);
  const verdict = body?.content?.[0]?.confirmation;
  if (verdict?.confirmed === false) return "reject";
  if (typeof verdict?.edited !== "boolean") return undefined;
  return verdict.edited ? "approve_edited" : "approve";
}

/**
 * The actions of the large button and the one beside it.
 * @param {ThreadState} state
 * @param {boolean} hasAnswer
 * @param {boolean} needsForm the request asks for values: the large button leads to the form
 * @returns {{ primary?: Action | "answer" | undefined, secondary?: Action | undefined }}
 */
export function mainActions(state, hasAnswer, needsForm) {
  const may = getAllowed(state);
  // While an approval is pending, a second request for it is only in the sheet of all actions.
  const isAsked = state.envelope.status === "needs_confirmation";
  const can = (/** @type {Action} */ act) =>
    may.get(act)?.allowed === true && !(isAsked && act === "needs_confirmation");
  const mine = state.envelope.executor === state.me.executor;
  const first = (/** @type {Action[]} */ ...acts) => acts.find(can);
  if (isEnded(state.envelope.status)) return { primary: first("respond", "followup") };
  if (hasSteppedBack(state)) return { primary: hasAnswer ? first("followup") : undefined };
  if (hasAnswer)
    return { primary: first("completed", "respond", "needs_confirmation", "followup") };
  // Nobody needs to claim what only an owner can decide.
  if (state.decision)
    return {
      primary: first("completed"),
      secondary: state.decision === "send" ? first("decline") : undefined,
    };
  const finish = first("completed", "needs_confirmation");
  const paused = PAUSED.includes(state.envelope.status);
  const go = mine ? (paused ? first("resume") : finish) : first("claim");
  const other = mine ? (paused ? finish : first("in_progress")) : finish;
  if (needsForm && can("respond")) return { primary: "answer", secondary: go ?? other };
  return go ? { primary: go, secondary: other } : { primary: other };
}

/** Actions that end the task for this person. */
const FINAL = ["reject", "completed", "decline", "failed", "delegate"];

/** @param {string} act */
export const isFinal = (act) => FINAL.includes(act);
