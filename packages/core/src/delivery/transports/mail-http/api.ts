import type { EmailMessage } from '../port.ts';

/** One request as the mail provider documents it. */
export type MailRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query below the provider's origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

/** A parsed answer. `body` is `{}` for anything but a JSON object. */
export type MailAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * Meaning of an answer that is not an acceptance. `bounced`: the recipient's address is invalid, not merely on a
 * suppression list of the provider. `sender`: the sender may not send. `busy`: nothing was processed, and the mail may
 * be sent again. `unknown`: the outcome is unknown. `taken`: an earlier attempt was accepted.
 */
export type Refusal = {
  readonly kind: 'bounced' | 'sender' | 'failed' | 'credential' | 'busy' | 'unknown' | 'taken';
  /** The provider's error code; absent: the status is used. */
  readonly code?: string | undefined;
  /** Set if the provider states a wait in its own format. */
  readonly retryAfterMs?: number | undefined;
};

/** One account of a mail API. Pure, except for lazy imports. */
export type MailApi = {
  /** Name in settings. */
  readonly name: string;
  /** Name in sentences. */
  readonly label: string;
  readonly origin: string;
  /** @param origin target of the request, which a signature may cover */
  send(message: EmailMessage, now: Date, origin: string): MailRequest | Promise<MailRequest>;
  /** A free read request. */
  probe(now: Date, origin: string): MailRequest;
  /** The provider's id of an accepted mail, which its callbacks use. Null if the answer has none. */
  providerId(answer: MailAnswer): string | null;
  /** Null: the status alone decides. */
  refusal(answer: MailAnswer, now: Date): Refusal | null;
  /** True if a refused `probe` still proves that the credentials are valid. */
  isKnown?(answer: MailAnswer): boolean;
};
