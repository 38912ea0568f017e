/** The part of the test pool that no package describes. */
declare module "cloudflare:test-internal" {
  export function maybeHandleRunRequest(
    request: { cf: Record<string, unknown> },
    instance: unknown,
    state: unknown,
  ): Promise<Response | undefined>;
}
