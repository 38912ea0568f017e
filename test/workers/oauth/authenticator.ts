/** A software authenticator: P-256 keys, discoverable, with user verification, like a phone. */

const encoder = new TextEncoder();

const concat = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

export const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

export const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );

const encodeHead = (major: number, value: number): Uint8Array =>
  value < 24
    ? Uint8Array.of((major << 5) | value)
    : value < 256
      ? Uint8Array.of((major << 5) | 24, value)
      : Uint8Array.of((major << 5) | 25, value >> 8, value & 255);

type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>;

/** The part of CBOR that attestations need. */
function encodeCbor(value: Cbor): Uint8Array {
  if (typeof value === "number")
    return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  if (typeof value === "string") {
    const bytes = encoder.encode(value);
    return concat(encodeHead(3, bytes.length), bytes);
  }
  if (value instanceof Uint8Array) return concat(encodeHead(2, value.length), value);
  return concat(encodeHead(5, value.size), ...[...value].flat().map(encodeCbor));
}

const hashSha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** Converts a signature of WebCrypto (r and s concatenated) to the format of WebAuthn (DER). */
function encodeDerSignature(signature: Uint8Array): Uint8Array {
  const encodeDerInteger = (bytes: Uint8Array): Uint8Array => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const plain = bytes.slice(first === -1 ? bytes.length - 1 : first);
    const positive = plain[0]! > 127 ? concat(Uint8Array.of(0), plain) : plain;
    return concat(Uint8Array.of(2, positive.length), positive);
  };
  const both = concat(
    encodeDerInteger(signature.slice(0, 32)),
    encodeDerInteger(signature.slice(32)),
  );
  return concat(Uint8Array.of(0x30, both.length), both);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface Faults {
  origin?: string;
  rpId?: string;
  /** The authenticator did not verify the user by fingerprint, face or PIN. */
  unverified?: boolean;
  challenge?: string;
  /** A counter that replaces the real one. */
  counter?: number;
  userHandle?: string;
  /** Signs with another key. */
  forged?: boolean;
  /** The passkey signs its own attestation. */
  selfAttested?: boolean;
}

export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

export class Authenticator {
  readonly id = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  readonly #origin: string;
  readonly #keys: CryptoKeyPair;
  #counter = 0;
  #userHandle = "";

  private constructor(origin: string, keys: CryptoKeyPair) {
    this.#origin = origin;
    this.#keys = keys;
  }

  static async make(origin: string): Promise<Authenticator> {
    return new Authenticator(origin, await generateKeys());
  }

  get userHandle(): string {
    return this.#userHandle;
  }

  /** Responds to `navigator.credentials.create`. */
  async create(options: CreationOptions, faults: Faults = {}): Promise<object> {
    this.#userHandle = options.user.id;
    const jwk = (await crypto.subtle.exportKey("jwk", this.#keys.publicKey)) as JsonWebKey;
    // A COSE key (RFC 9053): type EC2, algorithm ES256, curve P-256, x and y.
    const key = encodeCbor(
      new Map<Cbor, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, decodeBase64url(jwk.x!)],
        [-3, decodeBase64url(jwk.y!)],
      ]),
    );
    const id = decodeBase64url(this.id);
    const attested = concat(new Uint8Array(16), Uint8Array.of(0, id.length), id, key);
    const authData = concat(
      await this.#buildAuthenticatorData(options.rp.id, ATTESTED, faults),
      attested,
    );
    const client = this.#buildClientData("webauthn.create", options.challenge, faults);
    const attestation = encodeCbor(
      new Map<Cbor, Cbor>([
        ["fmt", faults.selfAttested ? "packed" : "none"],
        ["attStmt", await this.#buildAttestationStatement(faults, authData, client)],
        ["authData", authData],
      ]),
    );
    return this.#buildCredential({
      clientDataJSON: toBase64url(client),
      attestationObject: toBase64url(attestation),
      transports: ["internal"],
    });
  }

  /** Responds to `navigator.credentials.get`. */
  async get(options: { challenge: string; rpId: string }, faults: Faults = {}): Promise<object> {
    this.#counter += 1;
    const authData = await this.#buildAuthenticatorData(options.rpId, 0, faults);
    const client = this.#buildClientData("webauthn.get", options.challenge, faults);
    return this.#buildCredential({
      clientDataJSON: toBase64url(client),
      authenticatorData: toBase64url(authData),
      signature: toBase64url(await this.#sign(authData, client, faults)),
      userHandle: faults.userHandle ?? this.#userHandle,
    });
  }

  async #sign(
    authData: Uint8Array,
    client: Uint8Array<ArrayBuffer>,
    { forged }: Faults,
  ): Promise<Uint8Array> {
    const { privateKey } = forged ? await generateKeys() : this.#keys;
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      privateKey,
      concat(authData, await hashSha256(client)),
    );
    return encodeDerSignature(new Uint8Array(signature));
  }

  async #buildAttestationStatement(
    faults: Faults,
    authData: Uint8Array,
    client: Uint8Array<ArrayBuffer>,
  ): Promise<Map<Cbor, Cbor>> {
    if (!faults.selfAttested) return new Map();
    const sig = await this.#sign(authData, client, faults);
    return new Map<Cbor, Cbor>([
      ["alg", -7],
      ["sig", sig],
    ]);
  }

  async #buildAuthenticatorData(
    rpId: string,
    flags: number,
    faults: Faults,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const counter = new DataView(new ArrayBuffer(4));
    counter.setUint32(0, faults.counter ?? this.#counter);
    const set = flags | PRESENT | (faults.unverified ? 0 : VERIFIED);
    return concat(
      await hashSha256(encoder.encode(faults.rpId ?? rpId) as Uint8Array<ArrayBuffer>),
      Uint8Array.of(set),
      new Uint8Array(counter.buffer),
    );
  }

  #buildClientData(type: string, challenge: string, faults: Faults): Uint8Array<ArrayBuffer> {
    const origin = faults.origin ?? this.#origin;
    const clientData = {
      type,
      challenge: faults.challenge ?? challenge,
      origin,
      crossOrigin: false,
    };
    return encoder.encode(JSON.stringify(clientData)) as Uint8Array<ArrayBuffer>;
  }

  #buildCredential(response: object): object {
    const { id } = this;
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

const generateKeys = async (): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
