/** The parts of a configuration that may refer to secrets. */
import { getClassifierPart } from "../../mess/config/messages.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { exportSources } from "../message-sources/configure-sources.ts";
import type { ConfigSection } from "../secrets/extract-secrets.ts";
import type { Stores } from "../stores.ts";

export const listDispatchSections = ({ alerts, ...channels }: JsonMap): ConfigSection[] => [
  { root: "dispatch", names: [], value: channels },
  ...(alerts === undefined ? [] : [{ root: "dispatch.alerts", names: ["alerts"], value: alerts }]),
];

export const toNotifySection = (id: string, value: Json): ConfigSection => ({
  root: `executors.${id}`,
  names: [id],
  value,
});

export const toSourcesSection = (value: JsonMap): ConfigSection => ({
  root: "sources",
  names: ["source"],
  value,
  of: "kinds",
});

export const toMessagesSection = (messages: JsonMap): ConfigSection => ({
  root: "messages",
  names: ["messages"],
  value: getClassifierPart(messages),
  of: "kinds",
});

export const toHooksSection = (value: JsonMap): ConfigSection => ({
  root: "hooks",
  names: ["hooks"],
  value,
  of: "hooks",
});

/** All parts of the current configuration that may refer to secrets. */
export const listCurrentSections = (stores: Stores): ConfigSection[] => {
  const { members, settings } = stores;
  return [
    ...listDispatchSections(settings.getDispatch()),
    toSourcesSection(exportSources(stores)),
    toMessagesSection(settings.getMessages()),
    toHooksSection(settings.getHooks()),
    ...members
      .listExecutors()
      .flatMap(({ id, notify }) => (notify ? [toNotifySection(id, notify)] : [])),
  ];
};

/** The same by place, such as `dispatch.sms`, `sources.mail` or `executors.ann.webhook`. */
export const listConfigPlaces = (stores: Stores): [place: string, written: Json][] =>
  listCurrentSections(stores).flatMap(({ root, value }): [string, Json][] =>
    isMap(value)
      ? Object.entries(value).map(([key, written]) => [`${root}.${key}`, written])
      : [[root, value]],
  );
