/** Defects of the kinds that only receive: sensors and feeds. */
import type { Mutant } from "../mutant.ts";

const SERIES = ["unit/mess/sources/sensor-series"];
const SENSORS = ["source-kinds/sensor"];
const FEEDS = ["source-kinds/feed"];

const SERIES_FILE = "src/mess/sources/sensor-series.ts";
const FEED_FILE = "src/source-kinds/feed/feed.ts";

export const QUIET_SOURCE_MUTANTS: readonly Mutant[] = [
  {
    name: "sources: a reading of a sensor that arrives again counts again",
    file: SERIES_FILE,
    find: "if (at <= last)",
    replace: "if (at < last)",
    tests: SERIES,
  },
  {
    name: "sources: noise around a sensor's threshold makes messages",
    file: SERIES_FILE,
    find: "value > above - hysteresis",
    replace: "value > above",
    tests: SERIES,
  },
  {
    name: "sources: a sensor's request that is replayed counts again",
    file: "src/source-kinds/sensor/sensor.ts",
    find: "state.requests.includes(id)",
    replace: "state.requests.includes(`${id} `)",
    tests: SENSORS,
  },
  {
    name: "sources: an entry of a feed that was deleted here is read again",
    file: FEED_FILE,
    find: "entries.filter(({ hash }) => !known.seen.includes(hash))",
    replace: "entries",
    tests: FEEDS,
  },
  {
    name: "sources: the secret address of a feed is stored in clear",
    file: FEED_FILE,
    find: "feed: name,",
    replace: "feed: `${name} ${settings.url}`,",
    tests: FEEDS,
  },
  {
    name: "sources: a feed redirects to any address",
    file: "src/source-kinds/feed/fetch-feed.ts",
    find: 'const opened = await egress.open(address, { headers, signal, redirect: "manual" });',
    replace:
      'const opened = { ok: true as const, value: await fetch(address, { headers, signal, redirect: "manual" }), error: { code: "", message: "" } };',
    tests: FEEDS,
  },
];
