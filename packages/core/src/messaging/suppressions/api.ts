import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ListReason } from '../sends/listed.ts';
import type { additions, ListChannel, ListSource, removals } from './schema.ts';

/** Addresses for a channel's list, exactly one of `address` and `addresses`; the reason is `manual` unless told. */
export type SuppressionInput<C extends ListChannel> = Frozen<z.input<(typeof additions)[C]>>;

/** Addresses that go from it: for one reason, and one sender, where they are told. */
export type SuppressionRemovalInput<C extends ListChannel> = Frozen<z.input<(typeof removals)[C]>>;

/** An address that a channel sends nothing to any more. */
export type Suppression = {
  readonly channel: ListChannel;
  /** As the channel compares addresses: a mail address in lower case. */
  readonly address: string;
  readonly reason: ListReason;
  /** Of text messages: whose messages it is about; null: every sender's. */
  readonly sender: string | null;
  readonly source: ListSource;
  /** The message that led to it; null: none. */
  readonly messageId: string | null;
  readonly createdAt: Date;
};

export type SuppressionQuery = ListQuery & {
  /** In any spelling that the channel takes. */
  readonly address?: string | undefined;
  readonly reason?: ListReason | undefined;
  readonly sender?: string | undefined;
};

/**
 * The list of each channel. `bounced_address`, `complained_address`, `sms_stopped` and `manual` stop every message to the
 * address, `unsubscribed` marketing alone. What providers and people report adds itself.
 */
export type SuppressionsApi = {
  /** Newest first. Throws VALIDATION_ERROR and INVALID_RANGE. */
  list(scope: Scope, channel: ListChannel, query?: SuppressionQuery): Promise<Page<Suppression>>;
  /** An address may be on the list for several reasons; one that is there for this one stays. Throws VALIDATION_ERROR. */
  add<C extends ListChannel>(
    scope: Scope,
    channel: C,
    body: SuppressionInput<C>,
  ): Promise<{ readonly added: number; readonly known: number }>;
  /** Without a reason or a sender: whatever it is. Throws VALIDATION_ERROR. */
  remove<C extends ListChannel>(
    scope: Scope,
    channel: C,
    body: SuppressionRemovalInput<C>,
  ): Promise<{ readonly removed: number }>;
};
