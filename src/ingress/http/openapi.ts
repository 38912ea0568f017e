/** The OpenAPI 3.1 description, made from the table of routes that also serves them. */
import * as z from "zod";
import { ERRORS } from "../../mess/errors.ts";
import { PAYLOADS } from "../../mess/wire/schema.ts";
import type { Body, Route } from "./route.ts";

type Json = Record<string, unknown>;

/** A schema that stands by itself: the only one that refers to itself is that of any JSON value. */
function schemaOf(schema: z.ZodType): Json {
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  const { $schema: _dialect, $defs: _cycles, ...rest } = made;
  const text = JSON.stringify(rest).replaceAll(/"#\/\$defs\/\w+"/g, '"#/components/schemas/Any"');
  return JSON.parse(text) as Json;
}

const parameters = ({ path, query }: Route): Json[] => {
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      schema,
    })),
  ];
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same call with the same key is done once and answered alike.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
};

const requestBody = ({ description, types, schema }: Body): Json => ({
  description,
  required: true,
  content: Object.fromEntries(
    types.map((type) => [
      type,
      { schema: schema ? schemaOf(schema) : (SHAPES[type] ?? { type: "string" }) },
    ]),
  ),
});

const message = { $ref: "#/components/schemas/Message" };
const SHAPES: Readonly<Record<string, Json>> = {
  "application/json": message,
  "application/yaml": message,
  "multipart/form-data": {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  },
};

const refused = { $ref: "#/components/responses/Refusal" };

const responses = ({ produces, status }: Route): Json => ({
  [status ?? 200]: {
    description: "Done",
    content:
      produces === undefined
        ? { "application/json": {}, "application/yaml": {} }
        : { [produces]: {} },
  },
  default: refused,
});

/** The scheme that lets in where the access asks for it. */
const SCHEMES: Readonly<Record<Route["access"], readonly string[]>> = {
  open: [],
  operator: ["operator"],
  member: ["key"],
  owner: ["key"],
  visitor: ["key", "link", "session"],
  link: ["key", "link", "session"],
};

const security = ({ access }: Route): Json[] => SCHEMES[access].map((scheme) => ({ [scheme]: [] }));

function operation(route: Route): Json {
  const { method, path, summary, description, body } = route;
  return {
    operationId: operationId(method, path),
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: [...parameters(route), ...(method === "post" ? [idempotencyKey] : [])],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: responses(route),
    security: security(route),
  };
}

/** `get_mess_ref_wait` of `GET /mess/{ref}/wait`. */
const operationId = (method: string, path: string): string =>
  [method, ...path.split(/[^A-Za-z0-9]+/)].filter((part) => part !== "").join("_");

const blocks = (): Json => ({
  type: "array",
  items: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(PAYLOADS).map(([type, schema]) => [type, schemaOf(schema)]),
    ),
  },
});

const refusalSchema: Json = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "hint"],
      properties: {
        code: { type: "string", enum: Object.keys(ERRORS) },
        message: { type: "string" },
        hint: { type: "string", description: "How to mend the call." },
        path: { type: "string", description: "The field that is meant." },
        line: { type: "integer", minimum: 1 },
        column: { type: "integer", minimum: 1 },
        valid: { type: "array", items: { type: "string" } },
        more: { type: "array", items: { type: "object" } },
        request_id: { type: "string" },
      },
    },
  },
};

const bearer = (description: string): Json => ({ type: "http", scheme: "bearer", description });

/** The description of these routes, for a server at this origin. */
export function describe(routes: readonly Route[], origin: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "MESS edge exchange",
      version: "1.1.0",
      description:
        "Agents ask for things to be done in the physical world; people, robots and services answer. Bodies are YAML or JSON, answers follow Accept.",
    },
    servers: [{ url: origin }],
    paths,
    components: {
      securitySchemes: {
        key: bearer("An API key: mess_{household}_{secret}."),
        operator: bearer("The operator's key of the deployment."),
        link: bearer("The token of a link to this thread."),
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-mess-respond-{thread}-{session}",
          description:
            "A browser's session for a link, from POST /respond/session. What is not only read carries X-MESS-Client: respond.",
        },
      },
      schemas: {
        Message: { type: "object", required: ["MESS"], properties: { MESS: blocks() } },
        Refusal: refusalSchema,
        Any: { description: "Any JSON value." },
      },
      responses: {
        Refusal: {
          description: "Refused: the code is stable, and nothing was stored.",
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Refusal" } },
            "application/yaml": { schema: { $ref: "#/components/schemas/Refusal" } },
          },
        },
      },
    },
  };
}
