// Readers of provider callbacks. They have no side effects: they find the messages a request may be about, verify its
// signature, and parse it. One reader per provider; its wire format is known nowhere else.

/** A callback as received. */
export type CallbackRequest = {
  readonly method: string;
  /** As configured at the provider: public URL, path and query. */
  readonly url: URL;
  /** The headers named in the reader's `headers`, as far as they were sent. */
  readonly headers: Headers;
  /** The signed bytes. */
  readonly rawBody: Uint8Array;
};

/** Why a callback is rejected. `no_secret`: no secret is configured. `stale`: outside the allowed time. */
export type Refusal = 'no_secret' | 'unsigned' | 'bad_signature' | 'stale' | 'malformed';

/** Fields of every event. */
type EventFacts = {
  /**
   * Ids that identify the event at its provider; if any of them was seen, the event is a repetition. Empty if the
   * provider has none; then message, type and time identify it.
   */
  readonly ids: readonly string[];
  /** Forms in which the provider's message id may be stored. */
  readonly providerIds: readonly string[];
  /** Beckon's message id, from a custom argument. */
  readonly messageId: string | null;
  /** By the provider's clock; a time in the future is replaced by the time of receipt. */
  readonly at: Date;
  /** SMS only: the recipient's number, if reported. */
  readonly to?: string;
  /** SMS only: the number, name or service of the sender, if reported. */
  readonly from?: string;
};

export type ProviderEvent = EventFacts &
  (
    | { readonly type: 'sent' }
    | { readonly type: 'delivered' }
    | {
        readonly type: 'bounced';
        /** The address accepts no email: it is listed. */
        readonly isPermanent: boolean;
        /** The provider does not retry; a permanent bounce is final. */
        readonly isFinal: boolean;
        /** Code in the provider's vocabulary; null: none. */
        readonly code: string | null;
      }
    | { readonly type: 'complained' }
    | { readonly type: 'opened'; readonly userAgent: string | null; readonly isMachine: boolean }
    | {
        readonly type: 'clicked';
        readonly url: string;
        readonly userAgent: string | null;
        readonly isMachine: boolean;
      }
    | {
        readonly type: 'failed';
        readonly code: string | null;
        readonly message: string | null;
        /** SMS only: the recipient opted out of this sender. */
        readonly isOptedOut?: boolean;
      }
    | {
        /** SMS only: an inbound text. */
        readonly type: 'inbound';
        readonly from: string;
        readonly to: string;
        readonly body: string;
        /** The messaging service of the receiving number; null: not reported. */
        readonly service: string | null;
        /** The keyword that the provider recognised, if it answers opt-out keywords itself. */
        readonly keyword: 'stop' | 'start' | 'help' | null;
        /** Attached files. */
        readonly mediaUrls: readonly string[];
      }
    /** The provider asks to confirm the callback URL by a GET of `url`. */
    | { readonly type: 'subscription'; readonly url: string }
    /** An unknown event: counted, never interpreted. */
    | { readonly type: 'unrecognised'; readonly name: string }
  );

export type ProviderEventOf<Type extends ProviderEvent['type']> = Extract<ProviderEvent, { readonly type: Type }>;

/** The response that the provider expects; absent: any. */
export type Reply = { readonly contentType: string; readonly body: string };

export type ParsedCallback = { readonly events: readonly ProviderEvent[]; readonly reply?: Reply };
export type Verdict = ({ readonly ok: true } & ParsedCallback) | { readonly ok: false; readonly reason: Refusal };

export type CallbackReader = {
  readonly provider: string;
  /**
   * Lower-case names of the headers that the reader uses; no others are stored. If there are any, a request with none
   * of them is unsigned, whatever its body contains.
   */
  readonly headers: readonly string[];
  /**
   * Ids that may be provider ids of messages, in every form in which a transport may have stored them, found in the
   * first bytes without parsing. Untrusted: they only select the secrets to try. Of at most MAX_CLAIMED_IDS messages.
   * Pure. Throws nothing.
   *
   * @param start `rawBody` may be cut off
   */
  claimedIds(start: CallbackRequest): readonly string[];
  /**
   * Null if one of the secrets proves the request at this time; at least one is given, several during a rotation.
   * Throws what a dependency on the network throws; the provider then retries.
   */
  verify(request: CallbackRequest, secrets: readonly string[], now: Date): Promise<Refusal | null>;
  /** The events of a verified request; null: invalid body. Pure. Throws nothing. */
  parse(request: CallbackRequest): ParsedCallback | null;
};

/** Verifies, then parses. Without a secret every request is rejected. */
export const readCallback = async (
  reader: CallbackReader,
  request: CallbackRequest,
  secrets: readonly string[],
  now: Date,
): Promise<Verdict> => {
  if (secrets.length === 0) return { ok: false, reason: 'no_secret' };
  const reason = await reader.verify(request, secrets, now);
  if (reason !== null) return { ok: false, reason };
  const parsed = reader.parse(request);
  return parsed === null ? { ok: false, reason: 'malformed' } : { ok: true, ...parsed };
};
