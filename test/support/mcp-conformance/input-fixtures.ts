/** Tools and a prompt that request input before they respond (SEP-2322), for the suite. */
import {
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { readCapabilities } from "../../../src/ingress/mcp/tasks/protocol.ts";
import { type Answer, type FixtureTools, buildTextResult } from "./fixture-tools.ts";

const states = createRequestStateCodec<{ round: number; name?: string }>({
  key: new TextEncoder().encode("only for the conformance suite's own states"),
});

export const verifyState: typeof states.verify = (state, ctx) => states.verify(state, ctx);

export const buildForm = (message: string, field: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [field]: type === "string" ? { type } : { type } },
      required: [field],
    },
  });

const buildSamplingRequest = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 100,
  });

/** The accepted field of a form, or undefined. */
export function answerTo(ctx: ServerContext, key: string, field: string): unknown {
  const view = inputResponse(ctx.mcpReq.inputResponses, key);
  return view.kind === "elicit" && view.action === "accept" ? view.content?.[field] : undefined;
}

const getKind = (ctx: ServerContext, key: string) =>
  inputResponse(ctx.mcpReq.inputResponses, key).kind;

export const inputTools: FixtureTools = {};

function callTool(name: string, run: (ctx: ServerContext) => Promise<Answer>): void {
  inputTools[name] = { description: `Asks for input: ${name}`, run };
}

callTool("test_input_required_result_elicitation", async (ctx) => {
  const name = answerTo(ctx, "user_name", "name");
  return typeof name === "string"
    ? buildTextResult(`Hello, ${name}!`)
    : inputRequired({ inputRequests: { user_name: buildForm("What is your name?", "name") } });
});
callTool("test_input_required_result_sampling", async (ctx) => {
  const view = inputResponse(ctx.mcpReq.inputResponses, "capital_question");
  return view.kind === "sampling"
    ? buildTextResult(`The model said: ${JSON.stringify(view.result.content)}`)
    : inputRequired({
        inputRequests: { capital_question: buildSamplingRequest("What is the capital of France?") },
      });
});
callTool("test_input_required_result_list_roots", async (ctx) => {
  const view = inputResponse(ctx.mcpReq.inputResponses, "client_roots");
  return view.kind === "roots"
    ? buildTextResult(`Roots: ${view.roots.map(({ uri }) => uri).join(", ")}`)
    : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
});
for (const name of [
  "test_input_required_result_request_state",
  "test_input_required_result_tampered_state",
])
  callTool(name, async (ctx) => {
    const state = ctx.mcpReq.requestState<{ round: number }>();
    return state?.round === 1 && answerTo(ctx, "confirm", "ok") !== undefined
      ? buildTextResult("state-ok")
      : inputRequired({
          inputRequests: { confirm: buildForm("Please confirm", "ok", "boolean") },
          requestState: await states.mint({ round: 1 }),
        });
  });
callTool("test_input_required_result_multiple_inputs", async (ctx) => {
  const name = answerTo(ctx, "user_name", "name");
  const all =
    typeof name === "string" &&
    getKind(ctx, "greeting") === "sampling" &&
    getKind(ctx, "client_roots") === "roots";
  return all
    ? buildTextResult(`Everything came, ${name}.`)
    : inputRequired({
        inputRequests: {
          user_name: buildForm("What is your name?", "name"),
          greeting: buildSamplingRequest("Generate a greeting"),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await states.mint({ round: 1 }),
      });
});
callTool("test_input_required_result_multi_round", async (ctx) => {
  const state = ctx.mcpReq.requestState<{ round: number; name?: string }>();
  const name = answerTo(ctx, "step1", "name");
  const color = answerTo(ctx, "step2", "color");
  if (state?.round === 2 && typeof color === "string")
    return buildTextResult(`${state.name ?? "Somebody"} likes ${color}.`);
  if (state?.round === 1 && typeof name === "string")
    return inputRequired({
      inputRequests: { step2: buildForm("Step 2: What is your favorite color?", "color") },
      requestState: await states.mint({ round: 2, name }),
    });
  return inputRequired({
    inputRequests: { step1: buildForm("Step 1: What is your name?", "name") },
    requestState: await states.mint({ round: 1 }),
  });
});
callTool("test_input_required_result_capabilities", async (ctx) => {
  const declared: Record<string, unknown> = { ...readCapabilities(ctx) };
  const inputRequests: InputRequests = {
    ...(declared["sampling"] ? { question: buildSamplingRequest("Which model are you?") } : {}),
    ...(declared["elicitation"] ? { user: buildForm("Who are you?", "name") } : {}),
    ...(declared["roots"] ? { roots: inputRequired.listRoots() } : {}),
  };
  return Object.keys(inputRequests).length > 0
    ? inputRequired({ inputRequests })
    : buildTextResult("nothing can be asked");
});

export function serveInputPrompt(server: McpServer): void {
  server.registerPrompt(
    "test_input_required_result_prompt",
    { title: "Asks for input", description: "A prompt that asks for its context" },
    (ctx) => {
      const context = answerTo(ctx, "user_context", "context");
      return typeof context === "string"
        ? { messages: [{ role: "user", content: { type: "text", text: `Use ${context}.` } }] }
        : inputRequired({
            inputRequests: {
              user_context: buildForm("What context should the prompt use?", "context"),
            },
          });
    },
  );
}
