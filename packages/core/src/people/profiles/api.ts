import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page, PageQuery, WholeList } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Erasure, ErasureRequested } from '../../platform/erasure/answers.generated.ts';
import type { EventRecord } from '../events/answers.generated.ts';
import type { Profile } from './answers.generated.ts';
import type { profileBody } from './schema.ts';

/**
 * Changes to a user. Null removes a value. `email` and `phone` are used for delivery and override traits; `locale` and
 * `timezone` override device values. Traits are merged; a null trait is removed.
 */
export interface ProfileInput extends Frozen<z.input<ReturnType<typeof profileBody>>> {}

/** A user whose id is a placeholder such as "undefined", probably shared by several real users. */
export type PlaceholderUser = {
  readonly userId: string;
  /** Active devices, all of which receive sends to this user. */
  readonly devices: number;
};
export type ProfileQuery = ListQuery & { readonly userId?: string | undefined };

/** `Message` is the public form of a message to a user. */
export type ProfilesApiOf<Message> = {
  /**
   * Lists identified users by userId. `from` and `to` filter by the time of the first event. Throws VALIDATION_ERROR
   * for an invalid limit, cursor or time, and INVALID_RANGE.
   */
  list(scope: Scope, query?: ProfileQuery): Promise<Page<Profile>>;
  /** Includes devices and audiences. Throws NOT_FOUND. */
  get(scope: Scope, userId: string): Promise<Profile>;
  /**
   * Updates the profile and returns it without devices and audiences. Idempotent. Throws VALIDATION_ERROR, NOT_FOUND
   * for an unknown user, and OVERLOADED.
   */
  update(scope: Scope, userId: string, input: ProfileInput): Promise<Profile>;
  /**
   * Lists the user's events, newest first. `from` and `to` filter by the time of reception. Throws as `list`, and
   * NOT_FOUND for an unknown user.
   */
  events(scope: Scope, userId: string, query?: ListQuery): Promise<Page<EventRecord>>;
  /** Lists messages to the user, newest first. Throws NOT_FOUND for an unknown user. */
  sends(scope: Scope, userId: string, query?: PageQuery): Promise<Page<Message>>;
  /**
   * Erases all data of a user in this environment, in the background: profile, traits, devices, events, runs, messages,
   * sends to nobody else, stored idempotent answers. While a request is pending, a second one for the same user returns
   * it. Throws NOT_FOUND if the user has no profile, device or message.
   */
  erase(scope: Scope, userId: string): Promise<ErasureRequested>;
  /**
   * Lists users whose id is a placeholder in its usual spellings and who have a profile or an active device. Earlier
   * versions stored such ids; `erase` removes them. Throws no errors of its own.
   */
  placeholders(scope: Scope): Promise<WholeList<PlaceholderUser>>;
  /** Gets the state of an erasure. Throws NOT_FOUND. */
  erasure(scope: Scope, id: string): Promise<Erasure>;
};
