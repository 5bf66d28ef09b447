import type { Mailbox, MessageOf } from '../../delivery/transports/port.ts';
import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { ProfileView } from '../../people/profiles/view.ts';
import type { Localised } from '../templates/locale.ts';
import type { RenderScopes } from '../templates/render.ts';
import type { Listed } from './listed.ts';
import type { Recipient, RenderFailure, Role, SuppressionReason } from './schema.ts';
import type { AddressText } from './selection.ts';

/** What a channel knows of an address besides the address itself; stored in the message row. */
export type AddressFacts = {
  /** Push only; always set there. */
  readonly platform?: Platform;
  /** Id of the registered token; absent: a raw token that is not registered. */
  readonly tokenId?: string;
  /** iOS only; absent: unknown. */
  readonly apnsEnvironment?: ApnsEnvironment;
  /** The live activity that the address belongs to or starts; absent: an ordinary device. */
  readonly activity?: { readonly id: string; readonly event: 'start' | 'update' | 'end' };
};

/** One address of a recipient, as stored and as sent to. */
export type Address = { readonly address: string; readonly name: string | null; readonly facts: AddressFacts };

/** The addresses of a recipient: one message each. An empty list is a defect; give the reason in `none` instead. */
export type Addresses = readonly Address[] | { readonly none: SuppressionReason };

/** A recipient in a scope. A plan may hold recipients of several scopes. */
export type Target = InScope & { readonly recipient: Recipient };

/** Map key of a recipient. */
export const recipientKey = ({ recipient, ...scope }: Target): string =>
  recipient.kind === 'user' ? `${scopeKey(scope)}/u:${recipient.userId}` : `${scopeKey(scope)}/a:${recipient.address}`;

/** A page of addresses. */
export type Window = {
  /** `next` of the previous page; only with a single recipient. */
  readonly after: string | null;
  /** Maximum number of addresses, over all recipients. */
  readonly limit: number;
};

/** Addresses that were read. */
export type Loaded = {
  /** By `recipientKey`, each list in a stable order (by token id). Recipients without an address are absent. */
  readonly found: ReadonlyMap<string, readonly Address[]>;
  /** Cursor of the next page of a single recipient; null: the list is complete. */
  readonly next: string | null;
};

/** Everything known of a recipient when its messages are created. */
export type RecipientView = {
  readonly target: Target;
  /** The content that the channel put into the request. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Profile of a user; undefined: no profile. */
  readonly profile: ProfileView | undefined;
  /** The result of `load` for this recipient; empty if it found nothing or the channel has no `load`. */
  readonly loaded: readonly Address[];
};

/** What a channel currently knows of an address. */
export type AddressState = {
  /** Why the address is unusable, for example an inactive token or a number that opted out; null: usable. */
  readonly unusable: SuppressionReason | null;
  /** Suppression list entries of the address; absent: none. */
  readonly listed?: readonly Listed[];
  /** IANA time zone of the device; null: unknown. */
  readonly timezone: string | null;
  readonly locale: string | null;
};

export type RenderInput = {
  readonly scope: InScope;
  readonly messageId: string;
  readonly sendId: string;
  readonly to: Address;
  /** Recipients of copies did not ask for the email, so copies are not tracked. */
  readonly role: Role;
  readonly class: SendClass;
  /** Sender of an email that names none: the default of the credentials. */
  readonly defaultFrom: Mailbox;
  /** Domain that receives bounces; absent or null: that of the sender. */
  readonly bounceDomain?: string | null;
  /** URL for the status reports of the SMS provider; null: none. */
  readonly statusCallback: string | null;
  readonly scopes: RenderScopes;
  /** Time of the handover. */
  readonly now: Date;
};

/** A rendered message, or the reason that there is none. */
export type Rendered<M> =
  | { readonly verdict: 'pass'; readonly message: M }
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'failed'; readonly code: RenderFailure; readonly message: string };

/**
 * The functions that sending needs from a channel; the channel's engine provides them. All but `load`, `count`,
 * `states` and `ready` are pure. The first three run one statement each, whatever the number of recipients or messages.
 */
export type ChannelPort<M> = {
  /**
   * Reads what `addressesOf` needs besides profiles: registered tokens of users, rows of raw tokens. Reads at most
   * `limit` + 1 rows. Null: several recipients have more than `limit` addresses together, and the caller retries with
   * fewer. A single recipient is read in pages.
   */
  load?(target: readonly Target[], window: Window): Promise<Loaded | null>;
  /**
   * Counts the addresses of recipients of one scope, with their platforms, before they are read. Called only for sends
   * that are too large for acceptance. Absent: one address each.
   */
  count?(
    scope: InScope,
    recipients: readonly Recipient[],
    content: Readonly<Record<string, unknown>>,
  ): Promise<AddressCount>;
  /** Pure. Throws nothing. */
  addressesOf(view: RecipientView): Addresses;
  /**
   * The users' addresses as SQL text, for statements that read and write at once. The same text is the same object.
   * Null or absent: only code can find the addresses.
   */
  selection?(content: Readonly<Record<string, unknown>>): AddressText | null;
  /**
   * True if no two users share an address, so audience members are not checked for duplicates. Absent: they may share
   * one.
   */
  readonly isAddressOwn?: boolean;
  /** Deduplication key: equal for two addresses that reach the same inbox or device. */
  addressKey(address: string): string;
  /** The address whose copies this send has; null or absent: no copies. Pure. */
  mainAddress?(content: Readonly<Record<string, unknown>>): string | null;
  /**
   * States of the addresses of leased messages, by message id. Addresses without an entry are usable. Called once per
   * leased batch; absent: no states exist.
   */
  states?(
    messages: readonly (InScope &
      Pick<Address, 'address' | 'facts'> & { readonly id: string; readonly person: string | null })[],
  ): Promise<ReadonlyMap<string, AddressState>>;
  /** Loads the libraries that `render` needs; awaited before `render`. Absent: none. */
  ready?(): Promise<void>;
  /** Chooses the content for a reader's language; `locale` is null if unknown. Absent: one content for all. */
  localise?(
    content: Readonly<Record<string, unknown>>,
    locale: string | null,
  ): Localised<Readonly<Record<string, unknown>>>;
  /** `content` is what the channel put into the request, in the reader's language. */
  render(content: Readonly<Record<string, unknown>>, input: RenderInput): Rendered<M>;
};

export type AddressCount = {
  readonly total: number;
  readonly platforms: readonly Platform[];
  /** Recipients with more addresses than one expansion transaction writes. */
  readonly large: readonly Recipient[];
};

/** The channels, by name. */
export type Channels = { readonly [C in Channel]: ChannelPort<MessageOf[C]> };

/** What a provider's response says about an address. */
export type AddressFeedback = Pick<Address, 'address' | 'facts'> &
  (
    | {
        /** The address should receive nothing more. */
        readonly kind: 'dead' | 'bounced' | 'opted_out';
        /** Since when, according to the provider; null: not reported. Later registrations of the address stay valid. */
        readonly deadSince: Date | null;
        /** For an opted-out number: the sender it opted out of; absent: all senders. */
        readonly sender?: string;
      }
    /** The user reported the message as spam. */
    | { readonly kind: 'complained' }
    /** The token was reached through this APNs host, which its row did not name. */
    | { readonly kind: 'apns_environment'; readonly apnsEnvironment: ApnsEnvironment }
  );
