/** Bindings and types of the Worker that modules of `src` name. Node does not have them and only checks the types. */
interface Env {
  readonly MESS_SECRET: string;
  readonly MESS_OPERATOR_KEY: string;
  readonly HOUSEHOLDS: { getByName(name: string): unknown };
  readonly THREADS: { getByName(name: string): unknown };
  readonly GROUPS: { getByName(name: string): unknown };
  readonly SOURCES: { getByName(name: string): unknown };
  readonly SEND_EMAIL: SendEmail;
  readonly [binding: string]: unknown;
}

interface SendEmail {
  send(mail: EmailMessageBuilder): Promise<{ messageId: string }>;
}

type EmailMessageBuilder = object;

type SubtleCryptoDeriveKeyAlgorithm = Parameters<SubtleCrypto["deriveBits"]>[0];
