// What a channel provides for the callbacks of one provider: reading, verification and effects.

import type { Tag, Write } from '../../database/commit/write-set.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { InScope, Scope } from '../../foundation/scope.ts';
import type { CallbackReader, CallbackRequest, ProviderEvent } from './reader.ts';

/** The message of an event. */
export type CallbackMessage = InScope & {
  readonly id: string;
  readonly sendId: string;
  readonly channel: Channel;
  readonly person: string | null;
  readonly address: string | null;
};

/** The user or address that an event is about. */
export type Subject = { readonly person: string | null; readonly address: string | null };

/** Tag of the writes that mark an event as applied. */
export const MARK_TAG: Tag = 'callback event';

/**
 * Result of an event. `unknown`: about nothing that exists, so a replay may apply it later. `early`: its message is
 * still being handed over; the provider should retry.
 */
export type Applied = 'applied' | 'duplicate' | 'unknown' | 'early';

/** The context of an event that is applied. */
export type EventContext = {
  readonly scope: Scope;
  /** The message, of this channel and scope; null: none. */
  readonly message: CallbackMessage | null;
  /** When the request arrived. */
  readonly receivedAt: Date;
  /**
   * Writes for the commit of the event's effects. If one fails with `MARK_TAG`, the event was applied before, and
   * nothing is committed. Default subject: the message's user.
   */
  mark(subject?: Subject): readonly Write[];
};

export type CallbackSource = {
  readonly channel: Channel;
  readonly reader: CallbackReader;
  /** Secrets of the scope's requests; empty: no settings, and every request is rejected. */
  secrets(scope: Scope): Promise<readonly string[]>;
  /** Applies an event and commits its effects together with the marks. */
  apply(event: ProviderEvent, context: EventContext): Promise<Applied>;
  /**
   * Further scopes that may own a request, besides those of its messages and of `?k=`; untrusted. `orgId`: from the
   * path, if it has one.
   */
  scopes?(request: CallbackRequest, orgId: string | null): Promise<readonly InScope[]>;
};
