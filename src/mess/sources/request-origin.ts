/** The message or draft of a source about which a request asks an owner. The request reports its end to the source. */
export interface SourceRequestOrigin {
  source: string;
  message?: string;
  /** With `digest`, the revision that the owner was shown in full: completing the request approves it. */
  draft?: string;
  digest?: string;
}

/** The requestor of requests by a message source. The colon keeps it apart from members. */
const SOURCE_REQUESTOR_PREFIX = "source:";

export const buildSourceRequestor = (source: string): string =>
  `${SOURCE_REQUESTOR_PREFIX}${source}`;

export const isSourceRequestor = (requestor: string): boolean =>
  requestor.startsWith(SOURCE_REQUESTOR_PREFIX);

/** The SQL condition for `isSourceRequestor`. @param column never from a caller */
export const buildSourceRequestorSql = (column: string): string =>
  `${column} GLOB '${SOURCE_REQUESTOR_PREFIX}*'`;
