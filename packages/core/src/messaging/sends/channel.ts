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

/** What a channel knows of an address besides the address; kept in the message row. */
export type AddressFacts = {
  /** Of push, and there always set. */
  readonly platform?: Platform;
  /** Row of a registered token; absent: a token that was given as it is and that nobody registered. */
  readonly tokenId?: string;
  /** iOS only; absent: not known. */
  readonly apnsEnvironment?: ApnsEnvironment;
  /** The row that the address is of where it is a live activity, or starts one; absent: it is an ordinary device. */
  readonly activity?: { readonly id: string; readonly event: 'start' | 'update' | 'end' };
};

/** One address of one recipient, as it is stored and sent to. */
export type Address = { readonly address: string; readonly name: string | null; readonly facts: AddressFacts };

/** Where a recipient is reached: one message per address. An empty list is a defect: say why there is none. */
export type Addresses = readonly Address[] | { readonly none: SuppressionReason };

/** One recipient of one scope. A plan may hold recipients of several scopes. */
export type Target = InScope & { readonly recipient: Recipient };

/** One string per recipient, for maps. */
export const recipientKey = ({ recipient, ...scope }: Target): string =>
  recipient.kind === 'user' ? `${scopeKey(scope)}/u:${recipient.userId}` : `${scopeKey(scope)}/a:${recipient.address}`;

/** Which part of the addresses is read. */
export type Window = {
  /** `next` of the window before; only with a single recipient. */
  readonly after: string | null;
  /** Addresses at most, of all recipients together. */
  readonly limit: number;
};

/** What was read of recipients. */
export type Loaded = {
  /** By `recipientKey`, each in an order that does not change (by token id); who has none is missing. */
  readonly found: ReadonlyMap<string, readonly Address[]>;
  /** Where the addresses of the single recipient go on; null: they are all here. */
  readonly next: string | null;
};

/** All that is known of one recipient when messages are written. */
export type RecipientView = {
  readonly target: Target;
  /** What the channel itself put into the request. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Of a user; undefined: no profile. */
  readonly profile: ProfileView | undefined;
  /** What `load` found for this recipient; empty where it found nothing, or the channel has no `load`. */
  readonly loaded: readonly Address[];
};

/** What a channel knows of an address at this moment. */
export type AddressState = {
  /** Why nothing may be sent there any more (a token that became inactive, a number that opted out); null: it may. */
  readonly unusable: SuppressionReason | null;
  /** What stands on the channel's list for it; absent: nothing. */
  readonly listed?: readonly Listed[];
  /** IANA name, of the device; null: not known. */
  readonly timezone: string | null;
  readonly locale: string | null;
};

export type RenderInput = {
  readonly scope: InScope;
  readonly messageId: string;
  readonly sendId: string;
  readonly to: Address;
  /** Copies go to whoever did not ask for them: nothing of them is tracked. */
  readonly role: Role;
  readonly class: SendClass;
  /** Mail that names no sender is from here: the credentials' own default. */
  readonly defaultFrom: Mailbox;
  /** Where a mail bounces to; absent or null: to whom it is from. */
  readonly bounceDomain?: string | null;
  /** Where the provider of text messages reports; null: nowhere. */
  readonly statusCallback: string | null;
  readonly scopes: RenderScopes;
  /** The moment of hand-over. */
  readonly now: Date;
};

/** A message ready for its transport, or what became of it instead. */
export type Rendered<M> =
  | { readonly verdict: 'pass'; readonly message: M }
  | { readonly verdict: 'suppressed'; readonly reason: SuppressionReason }
  | { readonly verdict: 'failed'; readonly code: RenderFailure; readonly message: string };

/**
 * What sending asks of a channel; the channel's engine makes it. Everything but `load`, `count`, `states` and `ready` is
 * pure, and the first three are one statement each, whatever the number of recipients or messages.
 */
export type ChannelPort<M> = {
  /**
   * Reads what `addressesOf` needs besides profiles: registered tokens of users, the rows of raw tokens. Reads at most
   * `limit` + 1 rows; null: several recipients have more than `limit` addresses together (the caller asks again for
   * fewer). A single recipient is read in windows.
   */
  load?(target: readonly Target[], window: Window): Promise<Loaded | null>;
  /**
   * How many addresses recipients of one scope have, and of which platforms, before any is read. Only asked of sends
   * that are too large to be expanded on acceptance. Absent: one each.
   */
  count?(
    scope: InScope,
    recipients: readonly Recipient[],
    content: Readonly<Record<string, unknown>>,
  ): Promise<AddressCount>;
  /** Pure. Throws nothing. */
  addressesOf(view: RecipientView): Addresses;
  /**
   * Where users are reached, for statements that read and write in one; the same object for the same statement. Null, or
   * absent: only code can say.
   */
  selection?(content: Readonly<Record<string, unknown>>): AddressText | null;
  /** Two users never have the same address, so among members of an audience none is looked for twice. Absent: they may. */
  readonly isAddressOwn?: boolean;
  /** Equal for two addresses that reach the same person. */
  addressKey(address: string): string;
  /** Of a send with copies, the address that they are copies for; null or absent: there are none. Pure. */
  mainAddress?(content: Readonly<Record<string, unknown>>): string | null;
  /**
   * What is known of the addresses of leased messages, by message id; of those that are missing nothing is, and they may
   * be used. Asked once per leased batch; absent: nothing is known of any.
   */
  states?(
    messages: readonly (InScope &
      Pick<Address, 'address' | 'facts'> & { readonly id: string; readonly person: string | null })[],
  ): Promise<ReadonlyMap<string, AddressState>>;
  /** Loads the libraries that `render` needs; waited for before it is called. Absent: none. */
  ready?(): Promise<void>;
  /**
   * The content in the language of one reader, `locale` being theirs or null where nobody knows it. Absent: it is one for
   * all.
   */
  localise?(
    content: Readonly<Record<string, unknown>>,
    locale: string | null,
  ): Localised<Readonly<Record<string, unknown>>>;
  /** `content` is what the channel itself put into a request, in the language of the reader. */
  render(content: Readonly<Record<string, unknown>>, input: RenderInput): Rendered<M>;
};

export type AddressCount = {
  readonly total: number;
  readonly platforms: readonly Platform[];
  /** Recipients with more addresses than one transaction of an expansion writes. */
  readonly large: readonly Recipient[];
};

/** The channels that sending serves. */
export type Channels = { readonly [C in Channel]: ChannelPort<MessageOf[C]> };

/** What a provider told of an address while it answered for a message. */
export type AddressFeedback = Pick<Address, 'address' | 'facts'> &
  (
    | {
        /** Nothing more should be sent there. */
        readonly kind: 'dead' | 'bounced' | 'opted_out';
        /** Since when, as the provider says; null: it does not say. Who registered later is not meant. */
        readonly deadSince: Date | null;
        /** Of a number that opted out: the sender that it means; absent: any. */
        readonly sender?: string;
      }
    /** Whoever has it calls this message spam. */
    | { readonly kind: 'complained' }
    /** It was reached through this host, which its row did not name. */
    | { readonly kind: 'apns_environment'; readonly apnsEnvironment: ApnsEnvironment }
  );
