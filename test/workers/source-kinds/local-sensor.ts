/** A sensor of which each delivery is a series that crosses its threshold once. */
import type { LocalProvider } from "./local-source.ts";
import { postSignedJson } from "./signed-request.ts";

export function createSensorProvider(household: string, name: string): LocalProvider {
  const secret = `whsec_${btoa(crypto.randomUUID())}`;
  const text = "Water in the cellar\nIt is two inches deep.";
  const watched = { above: 1, text };
  return {
    settings: { secret, series: { "msg-1": watched, "msg-2": watched } },
    invalid: { settings: { secret, series: { cellar: { above: 1, below: 2 } } }, path: "series" },
    secrets: [secret],
    hasFiles: false,
    deliver: async ({ id }) => {
      const reading = { series: id, value: 2, unit: "in" };
      return (await postSignedJson(`/hooks/sources/${household}/${name}`, secret, id, reading)).ok;
    },
  };
}
