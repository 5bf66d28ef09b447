import type { Message, PushToken } from './api-delivery.ts';
import type { EventRecord } from './api-events.ts';
import type { Page, PageQuery } from './primitives/page.ts';
import type { Scope } from './primitives/scope.ts';

export type Profile = {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly traits: Readonly<Record<string, unknown>>;
  readonly email: string | null;
  readonly phone: string | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** Present when something no longer fitted. */
  readonly _truncated?: true;
  /** Of a profile that is read by itself: the newest 100 devices, inactive ones among them. */
  readonly tokens?: readonly PushToken[];
};

export type ErasureRequested = { readonly erasureId: string };
/** What became of a request to erase somebody; it names nobody. */
export type Erasure = {
  readonly id: string;
  readonly status: 'pending' | 'done';
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

export type ProfileQuery = PageQuery & { readonly userId?: string | undefined };
export type ProfilesApi = {
  /** Identified users only, by userId. Throws VALIDATION_ERROR for a limit or a cursor that there is not. */
  list(scope: Scope, query?: ProfileQuery): Promise<Page<Profile>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, userId: string): Promise<Profile>;
  /** Newest first. Throws NOT_FOUND for an unknown user. */
  events(scope: Scope, userId: string, query?: PageQuery): Promise<Page<EventRecord>>;
  /** Newest first. Throws NOT_FOUND for an unknown user. */
  sends(scope: Scope, userId: string, query?: PageQuery): Promise<Page<Message>>;
  /**
   * Erases a user everywhere in this environment, in the background: profile, traits, devices, events, runs, messages,
   * sends to nobody else, kept answers. While one request waits, another for the same user is the same request. Throws
   * NOT_FOUND for a user of whom there is neither a profile nor a device nor a message.
   */
  erase(scope: Scope, userId: string): Promise<ErasureRequested>;
  /** Throws NOT_FOUND. */
  erasure(scope: Scope, id: string): Promise<Erasure>;
};
