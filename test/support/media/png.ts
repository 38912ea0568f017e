/** The smallest valid PNG, in base64 and as bytes. */
export const PNG_BASE64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const PNG = Uint8Array.from(atob(PNG_BASE64), (sign) => sign.charCodeAt(0));
