import { describe, expect, it } from "vitest";

/** The pages are plain modules without type declarations. */
const path: string = "../../../public/respond/answer/recording-type.js";
const { pickRecordingType } = (await import(path)) as {
  pickRecordingType: (
    kind: "audio" | "video",
    format: string,
    isSupported: (type: string) => boolean,
  ) => string | undefined;
};

const CHROME = ["audio/webm;codecs=opus", "audio/webm", "audio/mp4", "video/webm", "video/mp4"];
const SAFARI = ["audio/mp4", "video/mp4"];

const pick = (kind: "audio" | "video", format: string, supported: readonly string[]) =>
  pickRecordingType(kind, format, (type) => supported.includes(type));

describe("the format of a recording", () => {
  it("is the preferred one where the browser can record it", () => {
    expect(pick("audio", "webm", CHROME)).toBe("audio/webm;codecs=opus");
    expect(pick("audio", "mp4", CHROME)).toBe("audio/mp4");
  });

  it("is one that the browser can record, whatever is preferred", () => {
    expect(pick("audio", "webm", SAFARI)).toBe("audio/mp4");
    expect(pick("audio", "ogg", CHROME)).toBe("audio/webm;codecs=opus");
  });

  it("is left to a browser that can record none of the types", () => {
    expect(pick("audio", "mp4", [])).toBeUndefined();
  });

  it("does not depend on the preference for a video", () => {
    expect(pick("video", "mp4", CHROME)).toBe(pick("video", "webm", CHROME));
  });
});
