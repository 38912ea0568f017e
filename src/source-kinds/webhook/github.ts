/** Summarizes an event of GitHub: what happened in which repository, by whom, with its title, link and text. */
import type { Json } from "../../mess/json.ts";
import type { MappedMessage } from "./map-message.ts";
import { readPath, toText } from "./json-path.ts";

/** Keys of the object that an event is about, the most specific first. */
const SUBJECTS = [
  "comment",
  "review",
  "pull_request",
  "issue",
  "discussion",
  "release",
  "workflow_run",
  "check_run",
  "deployment",
  "alert",
];
const TITLE_PATHS = [
  "pull_request.title",
  "issue.title",
  "discussion.title",
  "release.name",
  "release.tag_name",
  "workflow_run.display_title",
  "workflow_run.name",
  "check_run.name",
  "alert.rule.description",
  "alert.security_advisory.summary",
  "head_commit.message",
  "ref",
];
const NUMBER_PATHS = ["pull_request.number", "issue.number", "discussion.number"];
const STATE_PATHS = ["workflow_run.conclusion", "check_run.conclusion", "review.state"];
const MAX_COMMITS = 20;

const firstLine = (text: string): string => text.split("\n", 1)[0]!.trim();

/** @param event from the header `X-GitHub-Event` */
export function summarizeGithubEvent(
  event: string,
  json: Json,
  now: number,
): Omit<MappedMessage, "id" | "urgency"> {
  const read = (path: string): string | undefined => toText(readPath(json, path));
  const readFirst = (paths: readonly string[]): string | undefined =>
    paths.map((path) => read(path)).find((text) => text !== undefined);
  const repository = read("repository.full_name") ?? read("organization.login");
  const title = readFirst(TITLE_PATHS);
  const number = readFirst(NUMBER_PATHS);
  const what = [event.replaceAll("_", " "), read("action"), readFirst(STATE_PATHS)];
  const happened = what.filter((one) => one !== undefined).join(" ");
  const url =
    readFirst(SUBJECTS.map((one) => `${one}.html_url`)) ??
    readFirst(["compare", "repository.html_url"]);
  const sender = read("sender.login") ?? "GitHub";
  const lines: [string, string | undefined][] = [
    ["Event", happened],
    ["Repository", repository],
    ["By", sender],
    ["Title", title === undefined ? undefined : firstLine(title)],
    ["Link", url],
  ];
  const text = readFirst(SUBJECTS.map((one) => `${one}.body`)) ?? listCommits(json);
  const summary = lines.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const about = title === undefined ? "" : `: ${firstLine(title)}`;
  return {
    sender,
    subject: `${repository === undefined ? "" : `[${repository}] `}${happened}${about}${number === undefined ? "" : ` (#${number})`}`,
    body: [summary.join("\n"), ...(text === undefined ? [] : [text])].join("\n\n"),
    timestamp: now,
  };
}

function listCommits(json: Json): string | undefined {
  const commits = readPath(json, "commits");
  if (!Array.isArray(commits) || commits.length === 0) return undefined;
  const lines = commits.slice(0, MAX_COMMITS).map((commit) => {
    const message = toText(readPath(commit, "message")) ?? "";
    const author = toText(readPath(commit, "author.name")) ?? "";
    return `- ${firstLine(message)} (${author})`;
  });
  const more = commits.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
