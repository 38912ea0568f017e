/**
 * Replaces `@modelcontextprotocol/server/_shims` (see `alias` in wrangler.toml), which contains a validator of JSON
 * Schemas. The exchange checks arguments with zod and answers to forms itself.
 */
export class DefaultJsonSchemaValidator {
  /** Called by methods of the SDK that the exchange does not use. Throws, so that nothing passes unchecked. */
  getValidator(): never {
    throw new Error("JSON Schemas are not checked here: use a zod schema, or check the answer.");
  }
}
