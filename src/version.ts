/** The version of the software, as in package.json. */
export const SOFTWARE_VERSION = "0.1.0";

/** The version of the protocol that it speaks (docs/protocol.md). */
export const PROTOCOL_VERSION = "1.1.0";
