/** The open questions of a thread: applying a message and reading a thread back change them alike. */
import { LIMITS } from "../limits.ts";

interface AskedQuestion<Name extends string | undefined> {
  /** Id of the question, or `q1` for one without an id. */
  key: string;
  /** Name of the message that asked it, such as `question-002-which-area`. */
  asked_in: Name;
}

/** Adds the questions of the message `name`. A question with the key of an open one replaces it. */
export function addQuestions<Name extends string | undefined>(
  open: readonly AskedQuestion<Name>[],
  asked: readonly { id?: string }[],
  name: Name,
): AskedQuestion<Name>[] {
  const added = asked.map(({ id }) => ({ key: id ?? "q1", asked_in: name }));
  const others = open.filter(({ key }) => added.every((one) => one.key !== key));
  return [...others, ...added].slice(-LIMITS.listItems);
}
