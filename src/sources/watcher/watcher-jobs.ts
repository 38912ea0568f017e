/** The jobs that classify messages, and bring notices and corrections to the household. */
import type { HouseholdRpc } from "../../contracts/household.ts";
import { defined } from "../../mess/defined.ts";
import { buildNoticeText } from "../../mess/sources/describe-message.ts";
import { findListId } from "../../mess/sources/rules.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { CALL_TIMEOUT_MS } from "./classifiers/classifier.ts";
import { classifyWaiting } from "./classify-waiting.ts";

const RETRY = exponential(1_000, 60_000);
/** A round of calls, and the calls of the household before it. */
const CLASSIFY_TIMEOUT_MS = CALL_TIMEOUT_MS + 10_000;

export function createWatcherHandlers(
  context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "classify" | "notice" | "learn"> {
  const getSources = (): HouseholdRpc["sources"] =>
    getHouseholdStub(context.env, context.store.get().household).sources;
  return {
    classify: {
      run: () => classifyWaiting(context),
      retryDelayMs: RETRY,
      timeoutMs: CLASSIFY_TIMEOUT_MS,
    },
    notice: {
      run: async ({ seq }) => {
        const { name: source, kind } = context.store.get();
        const message = context.store.messages.get(seq);
        if (message?.tier)
          await getSources().postNotice({
            source,
            message: message.id,
            tier: message.tier,
            urgency: message.urgency,
            text: buildNoticeText(message.tier, { ...message, kind }),
            at: message.received,
          });
        return "done";
      },
      retryDelayMs: RETRY,
    },
    learn: {
      run: async ({ seq }) => {
        const message = context.store.messages.load(seq);
        if (message?.tier)
          await getSources().addExample({
            source: context.store.get().name,
            message: message.id,
            sender: message.sender,
            excerpt: message.excerpt,
            tier: message.tier,
            ...defined({
              subject: message.subject ?? undefined,
              list: findListId(message.details.headers),
            }),
          });
        return "done";
      },
      retryDelayMs: RETRY,
    },
  };
}
