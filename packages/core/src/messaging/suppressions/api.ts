import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ListReason } from '../sends/listed.ts';
import type { Suppression, SuppressionsAdded, SuppressionsRemoved } from './answers.generated.ts';
import type { additions, ListChannel, removals } from './schema.ts';

/** Addresses to add to a channel's list: exactly one of `address` and `addresses`; the default reason is `manual`. */
export type SuppressionInput<C extends ListChannel> = Frozen<z.input<(typeof additions)[C]>>;

/** Addresses to remove: with `reason` or `sender`, only those entries. */
export type SuppressionRemovalInput<C extends ListChannel> = Frozen<z.input<(typeof removals)[C]>>;

export type SuppressionQuery = ListQuery & {
  /** In any spelling that the channel accepts. */
  readonly address?: string | undefined;
  readonly reason?: ListReason | undefined;
  readonly sender?: string | undefined;
};

/**
 * The suppression list of each channel. `bounced_address`, `complained_address`, `sms_stopped` and `manual` stop every
 * message to the address, `unsubscribed` only marketing. Reports of providers and recipients add entries automatically.
 */
export type SuppressionsApi = {
  /** Newest first. Throws VALIDATION_ERROR, INVALID_RANGE. */
  list(scope: Scope, channel: ListChannel, query?: SuppressionQuery): Promise<Page<Suppression>>;
  /** An address may have entries for several reasons; an existing entry stays unchanged. Throws VALIDATION_ERROR. */
  add<C extends ListChannel>(scope: Scope, channel: C, body: SuppressionInput<C>): Promise<SuppressionsAdded>;
  /** Without a reason or sender: all entries of the addresses. Throws VALIDATION_ERROR. */
  remove<C extends ListChannel>(
    scope: Scope,
    channel: C,
    body: SuppressionRemovalInput<C>,
  ): Promise<SuppressionsRemoved>;
};
