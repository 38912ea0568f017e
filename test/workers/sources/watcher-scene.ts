/** A source whose household and classifier are played by the test. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type {
  ClassificationContext,
  ClassifierConfig,
  ClassifierExample,
  MessageNotice,
} from "../../../src/contracts/household-sources.ts";
import type { SourceRpc } from "../../../src/contracts/sources.ts";
import { getSourceStub } from "../../../src/stubs.ts";
import {
  createScriptedClassifier,
  readPromptedMessage,
  type ClassifierScript,
  type ScriptedClassifier,
} from "../../support/channels/classifier.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { createSource, type TestSource } from "./support.ts";

const ORIGIN = "https://model.test";
const API_KEY = "sk-test";

const getRealHousehold = env.HOUSEHOLDS.getByName.bind(env.HOUSEHOLDS);

export const OPENAI: ClassifierConfig = {
  kind: "openai",
  url: `${ORIGIN}/v1`,
  model: "small",
  api_key: API_KEY,
};
export const ANTHROPIC: ClassifierConfig = {
  kind: "anthropic",
  url: ORIGIN,
  model: "small",
  api_key: API_KEY,
};

export const verdict = (tier: string, more = ""): string =>
  `TIER: ${tier}\nREASON: The model decided.${more}`;

export class WatcherScene {
  readonly source: TestSource;
  readonly model: ScriptedClassifier;
  /** Changes what the model answers to a message, given its text as the prompt shows it. */
  answer: (message: string) => ClassifierScript | Promise<ClassifierScript> = () =>
    verdict("DEFER");
  readonly notices: MessageNotice[] = [];
  readonly examples: ClassifierExample[] = [];
  isHouseholdDown = false;
  context: ClassificationContext = {
    rules: [],
    policy: { version: 1, text: "Sort.", author: "exchange", created: "2026-01-01T00:00:00Z" },
    examples: [],
    classifier: OPENAI,
    zone: "UTC",
  };

  constructor(source: TestSource) {
    this.source = source;
    this.model = createScriptedClassifier({
      apiKey: API_KEY,
      answer: (request) => this.answer(readPromptedMessage(request)),
    });
    reachOutside({ [ORIGIN]: this.model.handle });
    const facet: Record<string, (...given: never[]) => unknown> = {
      getClassification: () => structuredClone(this.context),
      postNotice: (notice: MessageNotice) => void this.notices.push(notice),
      addExample: (example: ClassifierExample) => void this.examples.push(example),
    };
    const household = {
      callFacet: async (_facet: string, method: string, args: never[]) => {
        if (this.isHouseholdDown) throw new Error("the household does not answer");
        return facet[method]!(...args);
      },
    };
    // Sources of other tests, whose jobs may run meanwhile, do not get this classifier.
    vi.spyOn(env.HOUSEHOLDS, "getByName").mockImplementation((name) =>
      name === source.household ? (household as never) : getRealHousehold(name),
    );
  }

  /** A stub for calls from the answer of the model, which runs inside of the object. */
  callFromObject = (): SourceRpc => getSourceStub(env, this.source.household, this.source.name);

  asOwner = (change: Partial<Principal> = {}): Principal => ({
    household: this.source.household,
    actor: "mum",
    role: "owner",
    credential: "session:1",
    verified: true,
    ...change,
  });

  asAgent = (): Principal =>
    this.asOwner({
      actor: "bot",
      role: "agent",
      credential: "key:bot",
      paths: ["msg", "msg/classify"],
    });

  /** The texts of prompted messages, in the order of the calls. */
  listCalls = (): string[] => this.model.requests.map((request) => readPromptedMessage(request));

  /** Runs the jobs that are due, as the alarm does. */
  async runJobs(): Promise<void> {
    await runInDurableObject(this.source.getObject(), async (object) => {
      await (object as unknown as { alarm: () => Promise<void> }).alarm();
    });
  }

  /** Lets all pauses end, as after a long time, and runs the jobs. */
  async runLater(): Promise<void> {
    await this.source.query("UPDATE classifier SET paused_until = 0");
    await this.source.query("UPDATE classifier_retries SET due = 0 WHERE due < 9007199254740991");
    await this.source.query("UPDATE jobs SET due = 0");
    await this.runJobs();
  }

  async show(id: string) {
    const { tier, reason, classified_by, provisional, seen, urgency } = await this.source.read(id);
    return { tier, reason, classified_by, provisional, seen, urgency };
  }

  /** Keeps the job that interrupts the owner because of the n-th message, so that a test can see it. */
  async holdInterruption(n: number): Promise<void> {
    await this.source.query(
      "INSERT INTO jobs (queue, kind, payload, due) VALUES (?, 'index', '{}', ?)",
      `interrupt ${n}`,
      Date.parse("2100-01-01"),
    );
  }

  /** Kinds of the jobs that wait. */
  async listJobs(): Promise<string[]> {
    const rows = await this.source.query<{ kind: string }>("SELECT kind FROM jobs ORDER BY n");
    return rows.map(({ kind }) => kind);
  }
}

export const createWatcherScene = async (
  change: Partial<ClassificationContext> = {},
): Promise<WatcherScene> => {
  const scene = new WatcherScene(await createSource());
  scene.context = { ...scene.context, ...change };
  return scene;
};
