/** Checks that docs/configuration.md and examples/config.yaml are valid and that their tables match the code. */
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/mess/config/config.ts";
import { readDuration } from "../../../src/mess/durations.ts";
import { PRIORITIES } from "../../../src/mess/envelope.ts";
import { isMap, type Json, type JsonMap } from "../../../src/mess/json.ts";
import { getStepSeconds } from "../../../src/mess/routing/escalation-timeouts.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { readDocuments } from "../../../src/mess/wire/syntax/read-yaml.ts";
import {
  listCodes,
  listFencesOf,
  readPage,
  getSection,
  parseTables,
} from "../../support/markdown.ts";

/** The used part of modules with the Worker's types, which Node does not have, so they are imported at run time. */
type Checked = { ok: boolean; value?: string[]; error?: unknown };
type Known = ReadonlyMap<string, string>;
interface Checks {
  checkDispatch: (dispatch: JsonMap, known: Known) => Checked;
  checkNotify: (notify: Json, path: string, known: Known) => Checked;
}
interface Schedules {
  readSchedule: (of: { id: string; by: string }, fields: Json, zone: string) => { ok: boolean };
}
interface Registry {
  CHANNELS: Record<string, { settings: { shape: Record<string, unknown> } }>;
}
const checksModule: string = "../../../src/household/settings/check-channels.ts";
const schedulesModule: string = "../../../src/household/schedules/schedule.ts";
const registryModule: string = "../../../src/channels/registry.ts";
const { checkDispatch, checkNotify } = (await import(checksModule)) as Checks;
const { readSchedule } = (await import(schedulesModule)) as Schedules;
const { CHANNELS } = (await import(registryModule)) as Registry;

const PAGE = readPage("docs/configuration.md");

/** Every secret that the page refers to is set. */
const SECRETS: Known = new Map(
  [...PAGE.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name!, "a-secret-value"]),
);

const parseConfigs = (text: string): JsonMap[] => {
  const parsed = parseMessages(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value.flatMap(({ blocks }) =>
    blocks.map(({ type, body }) => {
      if (type !== "config") throw new Error(`not a config: ${text}`);
      return body as JsonMap;
    }),
  );
};

function readConfigFile(path: string): JsonMap {
  const read = readDocuments(readPage(path));
  if (!read.ok || !isMap(read.value[0]?.value)) throw new Error(`not a YAML map: ${path}`);
  return read.value[0].value;
}

const SHOWN: readonly (readonly [string, JsonMap])[] = [
  ...listFencesOf(PAGE, "yaml").flatMap((text) =>
    parseConfigs(text).map(
      (config) => [`docs: ${Object.keys(config).join(", ")}`, config] as const,
    ),
  ),
  ["examples/config.yaml", readConfigFile("examples/config.yaml")],
];

describe("configurations in the documentation", () => {
  it.each(SHOWN)(
    "the executors, routing, catalog and settings of %s are valid",
    (_name, config) => {
      expect(readConfig(config)).toMatchObject({ ok: true, value: { warnings: [] } });
    },
  );

  it.each(SHOWN)("the channels and addresses of %s are valid", (_name, config) => {
    const read = readConfig(config);
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    const { dispatch = {}, executors } = read.value;

    const accepted = { ok: true, value: [] };
    expect(checkDispatch(dispatch, SECRETS)).toEqual(accepted);
    for (const { id, notify = null } of executors)
      expect(checkNotify(notify, id, SECRETS), id).toEqual(accepted);
  });

  it.each(SHOWN)("the schedules of %s are valid", (_name, config) => {
    for (const [id, schedule] of Object.entries((config["schedules"] ?? {}) as JsonMap))
      if (schedule !== null)
        expect(readSchedule({ id, by: "owner" }, schedule, "UTC")).toMatchObject({ ok: true });
  });

  it("the documented configurations include one with every part", () => {
    const keys = SHOWN.map(([, config]) => Object.keys(config).length);

    expect(SHOWN.length).toBeGreaterThan(5);
    expect(Math.max(...keys)).toBeGreaterThanOrEqual(6);
  });
});

describe("tables of docs/configuration.md", () => {
  const [dispatch = [], channels = []] = parseTables(getSection(PAGE, "Dispatch"));
  const addresses = parseTables(getSection(PAGE, "Addresses: `notify`"))[0] ?? [];

  it("docs/configuration.md gives the default time of each step", () => {
    for (const priority of PRIORITIES) {
      const row = dispatch.find(([field]) => field === `\`dispatch.ladder.${priority}\``);

      expect(readDuration(listCodes(row?.[2] ?? "")[0] ?? ""), priority).toBe(
        getStepSeconds(priority),
      );
    }
  });

  it("docs/configuration.md lists every channel with its address", () => {
    expect(addresses.flatMap(([channel = ""]) => listCodes(channel)).toSorted()).toEqual(
      Object.keys(CHANNELS).toSorted(),
    );
  });

  it.each(Object.entries(CHANNELS))(
    "docs/configuration.md lists every setting of %s",
    (channel, { settings }) => {
      const starts = channels.findIndex(([name = ""]) => listCodes(name).includes(channel));
      const next = channels.findIndex(([name = ""], index) => index > starts && name !== "");
      const rows = channels.slice(starts, next < 0 ? undefined : next);
      const listed = rows.flatMap(([, setting = ""]) => listCodes(setting));

      // The base address of the API is named below the table; the household generates its push keys.
      const shown = Object.keys(settings.shape).filter((key) => key !== "vapid");
      const named = channel === "ntfy" ? shown : shown.filter((key) => key !== "api");
      expect(starts).toBeGreaterThanOrEqual(0);
      expect(listed.toSorted()).toEqual(named.toSorted());
    },
  );
});
