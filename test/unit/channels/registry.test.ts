import { describe, expect, it } from "vitest";
import { CHANNEL_KINDS, CHANNELS } from "../../../src/channels/registry.ts";
import { readExecutor } from "../../../src/mess/config/executor.ts";

describe("channels in the registry", () => {
  it.each(CHANNEL_KINDS)(
    "a member on %s is a machine only if the channel is for machines",
    (kind) => {
      const read = readExecutor("ann", { notify: { [kind]: "an address" } }, "executor");

      const expected = CHANNELS[kind].isMachine === true ? "machine" : "person";
      expect(read).toMatchObject({ ok: true, value: { kind: expected } });
    },
  );

  const editing = CHANNEL_KINDS.filter((kind) => CHANNELS[kind].features.edits);

  it.each(editing)("the %s channel, which supports edits, updates its messages", (kind) => {
    expect(CHANNELS[kind]).toHaveProperty("update", expect.any(Function));
  });
});
