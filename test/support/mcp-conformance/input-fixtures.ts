/** Tools and a prompt that ask for input before they answer (SEP-2322), as the suite drives them. */
import {
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { readCapabilities } from "../../../src/ingress/mcp/tasks/protocol.ts";
import { type Answer, type FixtureTools, said } from "./fixture-tools.ts";

const states = createRequestStateCodec<{ round: number; name?: string }>({
  key: new TextEncoder().encode("only for the conformance suite's own states"),
});

export const verifyState: typeof states.verify = (state, ctx) => states.verify(state, ctx);

export const form = (message: string, field: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [field]: type === "string" ? { type } : { type } },
      required: [field],
    },
  });

const sampling = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 100,
  });

/** The accepted field of a form, or undefined. */
export function answerTo(ctx: ServerContext, key: string, field: string): unknown {
  const view = inputResponse(ctx.mcpReq.inputResponses, key);
  return view.kind === "elicit" && view.action === "accept" ? view.content?.[field] : undefined;
}

const kindOf = (ctx: ServerContext, key: string) =>
  inputResponse(ctx.mcpReq.inputResponses, key).kind;

export const inputTools: FixtureTools = {};

function tool(name: string, run: (ctx: ServerContext) => Promise<Answer>): void {
  inputTools[name] = { description: `Asks for input: ${name}`, run };
}

tool("test_input_required_result_elicitation", async (ctx) => {
  const name = answerTo(ctx, "user_name", "name");
  return typeof name === "string"
    ? said(`Hello, ${name}!`)
    : inputRequired({ inputRequests: { user_name: form("What is your name?", "name") } });
});
tool("test_input_required_result_sampling", async (ctx) => {
  const view = inputResponse(ctx.mcpReq.inputResponses, "capital_question");
  return view.kind === "sampling"
    ? said(`The model said: ${JSON.stringify(view.result.content)}`)
    : inputRequired({
        inputRequests: { capital_question: sampling("What is the capital of France?") },
      });
});
tool("test_input_required_result_list_roots", async (ctx) => {
  const view = inputResponse(ctx.mcpReq.inputResponses, "client_roots");
  return view.kind === "roots"
    ? said(`Roots: ${view.roots.map(({ uri }) => uri).join(", ")}`)
    : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
});
for (const name of [
  "test_input_required_result_request_state",
  "test_input_required_result_tampered_state",
])
  tool(name, async (ctx) => {
    const state = ctx.mcpReq.requestState<{ round: number }>();
    return state?.round === 1 && answerTo(ctx, "confirm", "ok") !== undefined
      ? said("state-ok")
      : inputRequired({
          inputRequests: { confirm: form("Please confirm", "ok", "boolean") },
          requestState: await states.mint({ round: 1 }),
        });
  });
tool("test_input_required_result_multiple_inputs", async (ctx) => {
  const name = answerTo(ctx, "user_name", "name");
  const all =
    typeof name === "string" &&
    kindOf(ctx, "greeting") === "sampling" &&
    kindOf(ctx, "client_roots") === "roots";
  return all
    ? said(`Everything came, ${name}.`)
    : inputRequired({
        inputRequests: {
          user_name: form("What is your name?", "name"),
          greeting: sampling("Generate a greeting"),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await states.mint({ round: 1 }),
      });
});
tool("test_input_required_result_multi_round", async (ctx) => {
  const state = ctx.mcpReq.requestState<{ round: number; name?: string }>();
  const name = answerTo(ctx, "step1", "name");
  const color = answerTo(ctx, "step2", "color");
  if (state?.round === 2 && typeof color === "string")
    return said(`${state.name ?? "Somebody"} likes ${color}.`);
  if (state?.round === 1 && typeof name === "string")
    return inputRequired({
      inputRequests: { step2: form("Step 2: What is your favorite color?", "color") },
      requestState: await states.mint({ round: 2, name }),
    });
  return inputRequired({
    inputRequests: { step1: form("Step 1: What is your name?", "name") },
    requestState: await states.mint({ round: 1 }),
  });
});
tool("test_input_required_result_capabilities", async (ctx) => {
  const declared: Record<string, unknown> = { ...readCapabilities(ctx) };
  const inputRequests: InputRequests = {
    ...(declared["sampling"] ? { question: sampling("Which model are you?") } : {}),
    ...(declared["elicitation"] ? { user: form("Who are you?", "name") } : {}),
    ...(declared["roots"] ? { roots: inputRequired.listRoots() } : {}),
  };
  return Object.keys(inputRequests).length > 0
    ? inputRequired({ inputRequests })
    : said("nothing can be asked");
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
              user_context: form("What context should the prompt use?", "context"),
            },
          });
    },
  );
}
