// What a provider posts to us is read by functions that touch nothing: who it may be about, whether the provider signed it,
// and what it says. One reader per provider; a provider's wire format is nowhere else.

/** A callback as it came. */
export type CallbackRequest = {
  readonly method: string;
  /** As the provider was told it: the public URL, the path and the query. */
  readonly url: URL;
  /** Those that the reader names in `headers`, as far as they were sent. */
  readonly headers: Headers;
  /** Signatures are over these very bytes. */
  readonly rawBody: Uint8Array;
};

/** `no_secret`: nothing is set that it could be checked with. `stale`: outside of the time in which it may come. */
export type Refusal = 'no_secret' | 'unsigned' | 'bad_signature' | 'stale' | 'malformed';

/** What is the same in every event. */
type EventFacts = {
  /**
   * What tells this event from every other of the provider: any of them that was seen makes it a repetition. Empty where
   * the provider gives none; then it is message, type and time.
   */
  readonly ids: readonly string[];
  /** The forms in which the provider's own id of the message may be stored. */
  readonly providerIds: readonly string[];
  /** Our id, where it came back as a custom argument. */
  readonly messageId: string | null;
  /** By the provider's clock; what is ahead of ours is taken as the moment at which it came. */
  readonly at: Date;
  /** Of text messages: the number that it went to, where the provider says so. */
  readonly to?: string;
  /** Of text messages: the number, the name or the service that it was from, where the provider says so. */
  readonly from?: string;
};

export type ProviderEvent = EventFacts &
  (
    | { readonly type: 'sent' }
    | { readonly type: 'delivered' }
    | {
        readonly type: 'bounced';
        /** The address takes no mail: it is listed. */
        readonly isPermanent: boolean;
        /** The provider does not try again; a permanent one is final. */
        readonly isFinal: boolean;
        /** A word of the provider's vocabulary; null: none was given. */
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
        /** Of text messages: whoever has the number wants no more from this sender. */
        readonly isOptedOut?: boolean;
      }
    | {
        /** Of text messages: one to a number of ours. */
        readonly type: 'inbound';
        readonly from: string;
        readonly to: string;
        readonly body: string;
        /** The messaging service that the number belongs to; null: none was told. */
        readonly service: string | null;
        /** What the provider itself took it for, where it answers such words by itself. */
        readonly keyword: 'stop' | 'start' | 'help' | null;
        /** Files that came with it. */
        readonly mediaUrls: readonly string[];
      }
    /** The provider asks whether it may post here: confirmed by a GET of `url`. */
    | { readonly type: 'subscription'; readonly url: string }
    /** What nobody here knows: counted, never guessed at. */
    | { readonly type: 'unrecognised'; readonly name: string }
  );

export type ProviderEventOf<Type extends ProviderEvent['type']> = Extract<ProviderEvent, { readonly type: Type }>;

/** What the provider wants to be answered; absent: nothing in particular. */
export type Reply = { readonly contentType: string; readonly body: string };

export type ParsedCallback = { readonly events: readonly ProviderEvent[]; readonly reply?: Reply };
export type Verdict = ({ readonly ok: true } & ParsedCallback) | { readonly ok: false; readonly reason: Refusal };

export type CallbackReader = {
  readonly provider: string;
  /**
   * The headers that it looks at, in lower case; no others are kept. Where there are any, a request that has none of them is
   * not signed, whatever its body says.
   */
  readonly headers: readonly string[];
  /**
   * Ids that the provider may have given to messages, in every form in which a transport may have stored them, found in the
   * first bytes of the body without parsing it. Not to be trusted: they only say whose secrets are tried. Of at most
   * MAX_CLAIMED_IDS messages. Pure. Throws nothing.
   *
   * @param start `rawBody` may be cut off
   */
  claimedIds(start: CallbackRequest): readonly string[];
  /**
   * Null where one of the secrets proves the request at this moment; at least one is given, several during a rotation.
   * Throws what a dependency that needs the network throws, for which the provider comes again.
   */
  verify(request: CallbackRequest, secrets: readonly string[], now: Date): Promise<Refusal | null>;
  /** What a verified request says; null: its body is not what it should be. Pure. Throws nothing. */
  parse(request: CallbackRequest): ParsedCallback | null;
};

/** Verifies, then reads. Without a secret everything is refused. */
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
