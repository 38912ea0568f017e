/** Arbitraries of messages in normalized form, for property tests of parsers and writers. */
import fc from "fast-check";
import type { JsonMap } from "../../../src/mess/json.ts";
import type { Message } from "../../../src/mess/wire/schema.ts";
import { STATUSES } from "../../../src/mess/status.ts";

const buildOptionalRecord = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonMap>;
const buildRequiredRecord = (
  fields: Record<string, fc.Arbitrary<unknown>>,
  more: Record<string, fc.Arbitrary<unknown>> = {},
) =>
  fc.record({ ...fields, ...more }, { requiredKeys: Object.keys(fields) }) as fc.Arbitrary<JsonMap>;

/** Text that is difficult to write as YAML; never blank at its ends. */
const anyText = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      "yes",
      "null",
      "~",
      "- a",
      "a: b",
      "# no",
      "'",
      '"',
      "007",
      "1e3",
      "0x1f",
      "2031-01-02",
      "---",
      "...",
      "*star*",
      "&and",
      "!bang",
      "%",
      "@home",
      "`",
      "{a: 1}",
      "[x]",
      "first\nsecond",
      "tab\there",
      "MESS:",
      "=",
      "<<",
    ),
  )
  .map((text) =>
    text
      .replaceAll(/[\p{Cc}\uE000\uE001]/gu, (found) => ("\n\t".includes(found) ? found : ""))
      .trim(),
  )
  .filter((text) => text !== "");

export const anyId = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/)
  .filter((id) => !["exchange", "last", "all", "system"].includes(id.toLowerCase()));
export const anyTarget = fc.oneof(
  anyId,
  fc.constantFrom("last", "2031-04-05-006-lamp", "2031-04-05-006/question-002", "home:lamp"),
);
const time = fc.constantFrom("2031-04-05T06:07:08+02:00", "2031-04-05T06:07:08Z", "2031-04-05");
const duration = fc.constantFrom("PT45M", "PT2H15M", "P1D", "P3DT1S");
const free = fc
  .jsonValue({ maxDepth: 3 })
  .map(
    (value) =>
      JSON.parse(
        JSON.stringify(value, (_key, part: unknown) =>
          typeof part === "string" ? part.replaceAll(/[\uE000\uE001]/g, "") : part,
        ),
      ) as unknown,
  )
  .filter(
    (value) =>
      value !== null && !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)),
  );
const map = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), free, { maxKeys: 3 });

const described = { name: anyText, mime: fc.constant("image/png"), size: fc.nat() };
const media = fc.oneof(
  fc.constantFrom("https://pictures.example/lamp.png", "data:image/png;base64,iVBORw0KGgo="),
  buildRequiredRecord({ file: fc.constantFrom("upload-7", "att-003-image-lamp.png") }, described),
  buildRequiredRecord(
    { resource: fc.constant("content://2031-04-05-006/att-003-image-lamp.png") },
    described,
  ),
  buildRequiredRecord(
    { uri: fc.constantFrom("file://lamp.stl", "./lamp.stl", "C:\\lamp.stl") },
    described,
  ),
  buildRequiredRecord({ uri: fc.constant("https://pictures.example/lamp.png"), name: anyText }),
  buildRequiredRecord({ uri: fc.constant("data:text/plain;base64,aGVsbG8="), name: anyText }),
);

export const anyEntry = fc.oneof(
  anyText,
  fc
    .tuple(fc.constantFrom("image", "audio", "video", "file"), media)
    .map(([kind, value]) => ({ [kind]: value })),
  anyText.map((text) => ({ text })),
  fc.record({ url: fc.constant("https://lamps.example/") }),
  fc.record({ json: free }),
  fc.record({ structured: map }),
  fc.record({ ref: anyTarget }),
  fc.record({
    embedding: fc.array(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }).map((part) => part + 0),
    ),
  }),
  fc.record({
    confirmation: fc.oneof(
      fc.boolean(),
      buildRequiredRecord({ confirmed: fc.boolean() }, { details: anyText }),
    ),
  }),
  fc.record({ error: buildRequiredRecord({ message: anyText }, { code: anyText }) }),
  fc.record({
    location: buildOptionalRecord({
      name: anyText,
      lat: fc.integer({ min: -90, max: 90 }),
      address: anyText,
    }),
  }),
  fc.record({ recipe: map }),
);
const entries = fc.array(anyEntry, { minLength: 1, maxLength: 4 });

const capability = fc.oneof(
  fc.constantFrom("change-lamp", "climb-ladder"),
  fc.record({ "hold-ladder": map }),
);

const request = buildRequiredRecord(
  { intent: anyText },
  {
    id: anyId,
    precision: fc.constantFrom("loose", "guided", "exact"),
    requires: fc.array(capability, { maxLength: 3 }),
    context: entries,
    constraints: buildOptionalRecord({
      location: anyText,
      timing: buildOptionalRecord({
        not_before: time,
        expires: fc.oneof(time, duration),
        urgency: fc.constantFrom("soon", "now"),
      }),
      environment: fc.array(anyText, { maxLength: 2 }),
      depends_on: fc.array(anyTarget, { maxLength: 2 }),
    }),
    response_hint: fc.array(fc.oneof(anyText, fc.record({ image: anyText })), { maxLength: 2 }),
    priority: fc.constantFrom("background", "normal", "elevated", "urgent"),
    needed_by: time,
    confirm_before: fc.boolean(),
    compensation: map,
  },
);

const questions = fc
  .uniqueArray(fc.tuple(anyId, anyText, fc.array(anyText, { maxLength: 3 })), {
    selector: ([id]) => id,
    minLength: 1,
    maxLength: 3,
  })
  .map((asked) => asked.map(([id, question, options]) => ({ id, field: id, question, options })));

const status = fc.constantFrom(...STATUSES).chain((code) =>
  buildRequiredRecord(
    {
      code: fc.constant(code),
      ...(code === "needs_input" ? { questions } : {}),
      ...(code === "needs_confirmation" ? { action: anyText } : {}),
      ...(code === "delegated" ? { delegated_to: anyId } : {}),
    },
    {
      id: anyId,
      message: anyText,
      eta: time,
      estimate: duration,
      progress_pct: fc.integer({ min: 0, max: 100 }),
      waiting_for: buildRequiredRecord({ type: fc.constant("access") }, { note: anyText }),
      reason: fc.oneof(anyText, map),
      recoverable: fc.boolean(),
      remaining: fc.array(anyText, { maxLength: 2 }),
    },
  ),
);

const blocks = {
  status,
  response: buildRequiredRecord(
    { content: entries },
    { id: anyId, completed_at: time, notes: anyText },
  ),
  reply: buildRequiredRecord(
    { answers: fc.oneof(anyText, map) },
    { confirm: fc.boolean(), reason: anyText, context: entries },
  ),
  answer: buildRequiredRecord({ value: fc.oneof(anyText, fc.boolean(), fc.nat()) }, { id: anyId }),
  cancel: buildOptionalRecord({ reason: anyText }),
  followup: buildRequiredRecord({ message: anyText }, { id: anyId, context: entries }),
  review: buildRequiredRecord(
    { rating: fc.integer({ min: 1, max: 5 }) },
    { feedback: anyText, request_redo: fc.boolean() },
  ),
};

const threadBlock = fc.oneof(
  ...Object.entries(blocks).map(([type, body]) => body.map((made) => ({ type, body: made }))),
);
const alone = fc.oneof(
  request.map((body) => ({ type: "request", body })),
  buildRequiredRecord(
    { type: fc.constantFrom("status", "capabilities") },
    { filter: buildOptionalRecord({ tags: fc.array(anyText, { minLength: 1 }) }) },
  ).map((body) => ({ type: "query", body })),
  fc.record({ routing: map }).map((body) => ({ type: "config", body })),
);
const suggestion = fc
  .array(anyId, { minLength: 1, maxLength: 3 })
  .chain((re) =>
    buildRequiredRecord(
      { re: fc.constant(re), type: fc.constantFrom("merge", "defer") },
      { id: anyId, proposed: map, reason: anyText },
    ).map((body) => ({ re: re[0], blocks: [{ type: "suggestion", body }] })),
  );

const v = fc.constantFrom({}, { v: "1.0.0" }, { v: "1.1.0" });

/** A message in the form that `parseMessages` returns. */
export const anyMessage: fc.Arbitrary<Message> = fc
  .tuple(
    v,
    fc.oneof(
      alone.map((block) => ({ blocks: [block] })),
      fc
        .tuple(anyTarget, fc.array(threadBlock, { minLength: 1, maxLength: 3 }))
        .map(([re, list]) => ({ re, blocks: list })),
      suggestion,
    ),
  )
  .map(([version, message]) => ({ ...version, ...message }) as unknown as Message);
