/** Tools that ask the client of the 2025 revisions while the call is open, for the suite. */
import { inputRequired, type InputRequest, type ServerContext } from "@modelcontextprotocol/server";
import { type Answer, buildTextResult, type FixtureTools } from "./fixture-tools.ts";

type Schema = Extract<
  Parameters<typeof inputRequired.elicit>[0]["requestedSchema"],
  { properties: object }
>;

/** Asks once, and returns the response as text. */
const ask = ({ mcpReq }: ServerContext, request: InputRequest): Answer =>
  mcpReq.inputResponses?.["only"] === undefined
    ? inputRequired({ inputRequests: { only: request } })
    : buildTextResult(`Response: ${JSON.stringify(mcpReq.inputResponses["only"])}`);

const buildForm = (
  properties: Schema["properties"],
  message = "Please fill this in",
): InputRequest =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties } });

const readText = (args: Record<string, unknown>, key: string): string =>
  typeof args[key] === "string" ? args[key] : "";

const OPTIONS = ["option1", "option2", "option3"];

export const sessionTools: FixtureTools = {
  test_sampling: {
    description: "Asks the client's model",
    inputSchema: { properties: { prompt: { type: "string" } } },
    run: (ctx, args) =>
      ask(
        ctx,
        inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: readText(args, "prompt") } }],
          maxTokens: 100,
        }),
      ),
  },
  test_elicitation: {
    description: "Asks the user",
    inputSchema: { properties: { message: { type: "string" } } },
    run: (ctx, args) =>
      ask(
        ctx,
        buildForm(
          { username: { type: "string" }, email: { type: "string" } },
          readText(args, "message"),
        ),
      ),
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks with defaults",
    run: (ctx) =>
      ask(
        ctx,
        buildForm({
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        }),
      ),
  },
  test_elicitation_sep1330_enums: {
    description: "Asks with every kind of choice",
    run: (ctx) =>
      ask(
        ctx,
        buildForm({
          untitledSingle: { type: "string", enum: OPTIONS },
          titledSingle: {
            type: "string",
            oneOf: ["First", "Second", "Third"].map((title, index) => ({
              const: `value${index + 1}`,
              title,
            })),
          },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
          titledMulti: {
            type: "array",
            items: {
              anyOf: ["First", "Second", "Third"].map((title, index) => ({
                const: `value${index + 1}`,
                title,
              })),
            },
          },
        }),
      ),
  },
};
