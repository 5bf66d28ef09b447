// What a channel brings for one provider that posts here: how its callbacks are read, checked and acted upon.

import type { Tag, Write } from '../../database/commit/write-set.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { InScope, Scope } from '../../foundation/scope.ts';
import type { CallbackReader, CallbackRequest, ProviderEvent } from './reader.ts';

/** A message of ours that an event is about. */
export type CallbackMessage = InScope & {
  readonly id: string;
  readonly sendId: string;
  readonly channel: Channel;
  readonly person: string | null;
  readonly address: string | null;
};

/** Whom an event tells of. */
export type Subject = { readonly person: string | null; readonly address: string | null };

/** The tag of the writes that mark an event as applied. */
export const MARK_TAG: Tag = 'callback event';

/**
 * What became of one event. `unknown`: it is about nothing that there is, so that a replay may find it later. `early`: its
 * message is still being handed over; the provider is asked to come again.
 */
export type Applied = 'applied' | 'duplicate' | 'unknown' | 'early';

/** What an event comes with where it is applied. */
export type EventContext = {
  readonly scope: Scope;
  /** Of this channel and this scope; null: there is none. */
  readonly message: CallbackMessage | null;
  /** When the request came. */
  readonly receivedAt: Date;
  /**
   * Writes that go into the commit of what the event does. Where one fails under `MARK_TAG` the event was applied before:
   * then nothing of it is done. Default: of the message's person.
   */
  mark(subject?: Subject): readonly Write[];
};

export type CallbackSource = {
  readonly channel: Channel;
  readonly reader: CallbackReader;
  /** What the scope's requests are checked with; empty: nothing is set, and everything is refused. */
  secrets(scope: Scope): Promise<readonly string[]>;
  /** Does what the event says and commits it together with the marks, in one transaction. */
  apply(event: ProviderEvent, context: EventContext): Promise<Applied>;
  /**
   * Scopes that a request may be of besides those of its messages and of `?k=`: not trusted yet. `orgId`: of the path,
   * where it has one.
   */
  scopes?(request: CallbackRequest, orgId: string | null): Promise<readonly InScope[]>;
};
