import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page, PageQuery, WholeList } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Erasure, ErasureRequested } from '../../platform/erasure/answers.generated.ts';
import type { EventRecord } from '../events/answers.generated.ts';
import type { Profile } from './answers.generated.ts';
import type { profileBody } from './schema.ts';

/**
 * What an operator says of a user; null unsets. `email` and `phone` are where messages go, before any trait; `locale` and
 * `timezone` win over what devices say; traits are merged, and a null among them unsets one.
 */
export interface ProfileInput extends Frozen<z.input<ReturnType<typeof profileBody>>> {}

/** A user whose id is a placeholder, such as "undefined": several strangers may be behind it. */
export type PlaceholderUser = {
  readonly userId: string;
  /** Active devices, which all get what is sent to the one user. */
  readonly devices: number;
};
export type ProfileQuery = ListQuery & { readonly userId?: string | undefined };

/** `Message` is what the service keeps of a message to a user. */
export type ProfilesApiOf<Message> = {
  /**
   * Identified users only, by userId; `from` and `to` are about when they were first seen. Throws VALIDATION_ERROR for a
   * limit, a cursor or a time that there is not, INVALID_RANGE.
   */
  list(scope: Scope, query?: ProfileQuery): Promise<Page<Profile>>;
  /** With devices and audiences. Throws NOT_FOUND. */
  get(scope: Scope, userId: string): Promise<Profile>;
  /**
   * Answers the profile as it is then, without devices and audiences. Idempotent. Throws VALIDATION_ERROR, NOT_FOUND for a user
   * that there is not, OVERLOADED.
   */
  update(scope: Scope, userId: string, input: ProfileInput): Promise<Profile>;
  /** Newest first; `from` and `to` are about their reception. Throws as `list`, and NOT_FOUND for an unknown user. */
  events(scope: Scope, userId: string, query?: ListQuery): Promise<Page<EventRecord>>;
  /** Newest first. Throws NOT_FOUND for an unknown user. */
  sends(scope: Scope, userId: string, query?: PageQuery): Promise<Page<Message>>;
  /**
   * Erases a user everywhere in this environment, in the background: profile, traits, devices, events, runs, messages,
   * sends to nobody else, kept answers. While one request waits, another for the same user is the same request. Throws
   * NOT_FOUND for a user of whom there is neither a profile nor a device nor a message.
   */
  erase(scope: Scope, userId: string): Promise<ErasureRequested>;
  /**
   * Users with a placeholder for an id, in its usual spellings, who have a profile or an active device: stored by a version
   * that took such ids. `erase` removes them. Throws nothing of its own.
   */
  placeholders(scope: Scope): Promise<WholeList<PlaceholderUser>>;
  /** Throws NOT_FOUND. */
  erasure(scope: Scope, id: string): Promise<Erasure>;
};
