import { fromJsonSchema } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { DefaultJsonSchemaValidator } from "../../../../src/ingress/mcp/transport/server-shims.ts";

describe("the replacement of the MCP library's JSON Schema validator", () => {
  it("a schema that would need the removed validator throws in place of accepting every value", async () => {
    const validate = async () => {
      const schema = fromJsonSchema({ type: "object" }, new DefaultJsonSchemaValidator());
      await schema["~standard"].validate({ any: "value" });
    };

    await expect(validate()).rejects.toThrow(/zod/);
  });
});
