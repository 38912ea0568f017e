/** Builds the OpenAPI 3.1 description from the route table that also serves the requests. */
import { defined } from "../../mess/defined.ts";
import * as z from "zod";
import { SOFTWARE_VERSION } from "../../version.ts";
import { ERRORS } from "../../mess/errors.ts";
import { PAYLOADS } from "../../mess/wire/schema.ts";
import type { RouteBody, HttpRoute } from "./route.ts";

type OpenApiValue = Record<string, unknown>;

/** Converts a schema to JSON Schema without references; only the recursive schema of any JSON value has one. */
function toSchema(schema: z.ZodType): OpenApiValue {
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as OpenApiValue;
  const { $schema: _dialect, $defs: _cycles, ...schemaFields } = made;
  const text = JSON.stringify(schemaFields).replaceAll(
    /"#\/\$defs\/\w+"/g,
    '"#/components/schemas/Any"',
  );
  return JSON.parse(text) as OpenApiValue;
}

const buildParameters = ({ path, query }: HttpRoute): OpenApiValue[] => {
  const { properties = {}, required = [] } = toSchema(query) as {
    properties?: Record<string, OpenApiValue>;
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

const IDEMPOTENCY_KEY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A repeated call with the same key runs once and gets the same response. The scope of a key is the member and, for a call to a thread, that thread, for a message of an AI group, that group; for any other call and for requests, the household. Within its scope, the same key with another call is refused with idempotency_conflict. Use a new key for each call.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
};

const buildRequestBody = ({ description, types, schema, optional }: RouteBody): OpenApiValue => ({
  description,
  required: optional !== true,
  content: Object.fromEntries(
    types.map((type) => [
      type,
      { schema: schema ? toSchema(schema) : (SCHEMA_BY_TYPE[type] ?? { type: "string" }) },
    ]),
  ),
});

const MESSAGE_REF = { $ref: "#/components/schemas/Message" };
const SCHEMA_BY_TYPE: Readonly<Record<string, OpenApiValue>> = {
  "application/json": MESSAGE_REF,
  "application/yaml": MESSAGE_REF,
  "multipart/form-data": {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  },
};

const REFUSAL_REF = { $ref: "#/components/responses/Refusal" };

const buildResponses = ({ produces, status }: HttpRoute): OpenApiValue => ({
  [status ?? 200]: {
    description: "Done",
    content:
      produces === undefined
        ? { "application/json": {}, "application/yaml": {} }
        : { [produces]: {} },
  },
  default: REFUSAL_REF,
});

/** The security schemes of each access level. */
const SCHEMES_BY_ACCESS: Readonly<Record<HttpRoute["access"], readonly string[]>> = {
  open: [],
  operator: ["operator"],
  member: ["key", "sign_in"],
  owner: ["key", "sign_in"],
  visitor: ["key", "link", "session", "sign_in"],
  link: ["key", "link", "session", "sign_in"],
  file: ["key", "link", "session", "sign_in", "access_token"],
  messages: ["key", "sign_in"],
  exchange: ["key"],
};

const buildSecurity = ({ access }: HttpRoute): OpenApiValue[] =>
  SCHEMES_BY_ACCESS[access].map((scheme) => ({ [scheme]: [] }));

function buildOperation(route: HttpRoute): OpenApiValue {
  const { method, path, summary, description, body } = route;
  return {
    operationId: buildOperationId(method, path),
    summary,
    ...defined({ description }),
    parameters: [
      ...buildParameters(route),
      ...(method === "post" ? [IDEMPOTENCY_KEY_PARAMETER] : []),
    ],
    ...(body === undefined ? {} : { requestBody: buildRequestBody(body) }),
    responses: buildResponses(route),
    security: buildSecurity(route),
  };
}

/** Builds the operation id, such as `get_mess_ref_wait` for `GET /mess/{ref}/wait`. */
const buildOperationId = (method: string, path: string): string =>
  [method, ...path.split(/[^A-Za-z0-9]+/)].filter((part) => part !== "").join("_");

const buildBlocksSchema = (): OpenApiValue => ({
  type: "array",
  items: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(PAYLOADS).map(([type, schema]) => [type, toSchema(schema)]),
    ),
  },
});

const REFUSAL_SCHEMA: OpenApiValue = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "hint"],
      properties: {
        code: { type: "string", enum: Object.keys(ERRORS) },
        message: { type: "string" },
        hint: { type: "string", description: "How to fix the call." },
        path: { type: "string", description: "The field with the error." },
        line: { type: "integer", minimum: 1 },
        column: { type: "integer", minimum: 1 },
        valid: { type: "array", items: { type: "string" } },
        reservations: {
          type: "array",
          items: { type: "object" },
          description: "For `reserved` and `not_holder`: who holds what, and until when.",
        },
        more: { type: "array", items: { type: "object" } },
        request_id: { type: "string" },
      },
    },
  },
};

const buildBearerScheme = (description: string): OpenApiValue => ({
  type: "http",
  scheme: "bearer",
  description,
});

/** Builds the OpenAPI description of these routes, for a server at this origin. */
export function describeRoutes(routes: readonly HttpRoute[], origin: string): OpenApiValue {
  const paths: Record<string, OpenApiValue> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: buildOperation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "MESS edge exchange",
      version: SOFTWARE_VERSION,
      description:
        "Agents request work in the physical world; people, robots and services respond. Request bodies are YAML or JSON; the response format follows Accept.",
    },
    servers: [{ url: origin }],
    paths,
    components: {
      securitySchemes: {
        key: buildBearerScheme("An API key: mess_{household}_{secret}."),
        operator: buildBearerScheme("The operator's key of the deployment."),
        link: buildBearerScheme("The token of a link to this thread."),
        access_token: buildBearerScheme("The OAuth access token of an MCP client."),
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-mess-respond-{thread}-{session}",
          description:
            "A browser's session for a link, from POST /respond/session. Calls that change something need the header X-MESS-Client: respond.",
        },
        sign_in: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-mess-session",
          description:
            "A browser in which a person is signed in. Calls that change something need the header X-MESS-Client: respond. If the person is signed in to several households, X-MESS-Session names one, as GET /api/v1/me returns it.",
        },
      },
      schemas: {
        Message: { type: "object", required: ["MESS"], properties: { MESS: buildBlocksSchema() } },
        Refusal: REFUSAL_SCHEMA,
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
