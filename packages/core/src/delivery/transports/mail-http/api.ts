import type { EmailMessage } from '../port.ts';

/** One request as a provider of mail documents it. */
export type MailRequest = {
  readonly method: 'GET' | 'POST';
  /** From the root of the provider's origin, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

/** An answer, read as far as it can be: of a body that is no JSON object there is `{}`. */
export type MailAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * What an answer that is no acceptance means. `bounced`: the recipient's
 * address is no address, and not merely on a list of the provider; `sender`: whom the mail is
 * from may not send; `busy`: nothing was done with it and it may come again; `unknown`: nobody knows; `taken`: an earlier
 * attempt was accepted.
 */
export type Refusal = {
  readonly kind: 'bounced' | 'sender' | 'failed' | 'credential' | 'busy' | 'unknown' | 'taken';
  /** A word of the provider's; absent: the status stands for it. */
  readonly code?: string | undefined;
  /** Where the provider says in its own way when it takes mail again. */
  readonly retryAfterMs?: number | undefined;
};

/** One account of a provider that takes mail over HTTP. Pure but for what it loads. */
export type MailApi = {
  /** As settings call it. */
  readonly name: string;
  /** As sentences call it. */
  readonly label: string;
  readonly origin: string;
  /** @param origin where the request goes, which a signature may cover */
  send(message: EmailMessage, now: Date, origin: string): MailRequest | Promise<MailRequest>;
  /** A read that costs nothing. */
  probe(now: Date, origin: string): MailRequest;
  /** The provider's own id of a mail that it took; callbacks name it. Null where the answer has none. */
  providerId(answer: MailAnswer): string | null;
  /** Null: what the status says alone. */
  refusal(answer: MailAnswer, now: Date): Refusal | null;
  /** True for an answer to `probe` that refuses the read and shows that the credentials are known. */
  isKnown?(answer: MailAnswer): boolean;
};
