/** The used part of Block Kit: what Slack refuses, and what a reader sees. */

interface Text {
  readonly type?: string;
  readonly text?: string;
  readonly emoji?: boolean;
}

export interface SlackElement extends Text {
  readonly action_id?: string;
  readonly value?: string;
  readonly url?: string;
  readonly style?: string;
}

export interface SlackBlock {
  readonly type: string;
  readonly text?: Text;
  readonly elements?: readonly (Omit<SlackElement, "text"> & { readonly text?: Text | string })[];
}

const isTooLong = (text: string | undefined, maxChars: number): boolean =>
  text === undefined || text === "" || text.length > maxChars;

/** The reason why Slack would refuse the blocks; undefined if it would accept them. */
export function checkBlocks(blocks: readonly SlackBlock[]): string | undefined {
  if (blocks.length > 50) return "no more than 50 items allowed";
  for (const { type, text, elements = [] } of blocks) {
    if (type === "section") {
      if (!text || isTooLong(text.text, 3_000)) return "section text must be 1 to 3000 characters";
    } else if (type === "context") {
      if (elements.length === 0 || elements.length > 10) return "context has 1 to 10 elements";
      if (elements.some((one) => typeof one.text !== "string" || isTooLong(one.text, 3_000)))
        return "context elements are texts";
    } else if (type === "actions") {
      const fault = checkButtons(elements);
      if (fault !== undefined) return fault;
    } else return `unsupported type: ${type}`;
  }
  return undefined;
}

function checkButtons(elements: NonNullable<SlackBlock["elements"]>): string | undefined {
  if (elements.length === 0 || elements.length > 25) return "actions have 1 to 25 elements";
  const ids = elements.map(({ action_id }) => action_id);
  if (new Set(ids).size < ids.length) return "action_id is not unique";
  for (const { type, text, action_id, value = "v", url = "https://u", style } of elements) {
    if (type !== "button") return `unsupported type: ${type}`;
    if (typeof text !== "object" || text.type !== "plain_text" || isTooLong(text.text, 75))
      return "a button's text is plain and up to 75 characters";
    if (isTooLong(action_id, 255) || isTooLong(value, 2_000) || isTooLong(url, 3_000))
      return "too long";
    if (style !== undefined && !["primary", "danger"].includes(style)) return "unknown style";
    if (!/^https?:\/\//.test(url)) return "not a URL";
  }
  return undefined;
}

const unescapeMarkup = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/**
 * Every text of the message as a reader sees it, with a button as its action, `[claimed]`, and control sequences
 * applied.
 */
export function listVisibleTexts(text: string, blocks: readonly SlackBlock[]): string[] {
  if (blocks.length === 0) return [renderText({ type: "mrkdwn", text })];
  return blocks.flatMap((block) => {
    if (block.type === "section") return [renderText(block.text ?? {})];
    return (block.elements ?? []).map((element) =>
      typeof element.text === "string"
        ? renderText({ type: element.type ?? "", text: element.text })
        : `[${element.action_id ?? ""}]`,
    );
  });
}

function renderText({ type, text = "", emoji = true }: Text): string {
  const signs = type === "mrkdwn" ? text.replaceAll(/<([!@#][^>]*)>/g, "PINGED($1)") : text;
  return unescapeMarkup(
    emoji && type === "plain_text" ? signs.replaceAll(/:\w+:/g, "EMOJI") : signs,
  );
}
