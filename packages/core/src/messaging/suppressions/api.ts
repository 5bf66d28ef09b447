import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ListReason } from '../sends/listed.ts';
import type { Suppression, SuppressionsAdded, SuppressionsRemoved } from './answers.generated.ts';
import type { additions, ListChannel, removals } from './schema.ts';

/** Addresses for a channel's list, exactly one of `address` and `addresses`; the reason is `manual` unless told. */
export type SuppressionInput<C extends ListChannel> = Frozen<z.input<(typeof additions)[C]>>;

/** Addresses that go from it: for one reason, and one sender, where they are told. */
export type SuppressionRemovalInput<C extends ListChannel> = Frozen<z.input<(typeof removals)[C]>>;

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
  add<C extends ListChannel>(scope: Scope, channel: C, body: SuppressionInput<C>): Promise<SuppressionsAdded>;
  /** Without a reason or a sender: whatever it is. Throws VALIDATION_ERROR. */
  remove<C extends ListChannel>(
    scope: Scope,
    channel: C,
    body: SuppressionRemovalInput<C>,
  ): Promise<SuppressionsRemoved>;
};
