// Subscription choices of a user. Pure.

import type { Channel } from '../../foundation/channel.ts';
import type { InScope } from '../../foundation/scope.ts';

/** Key of all marketing of a channel; no category has this name. */
export const EVERY_CATEGORY = '';

/** Choices of one user and channel: whether the user wants a category, by category name. */
export type Choices = ReadonlyMap<string, boolean>;

export type Chooser = InScope & { readonly person: string; readonly channel: Channel };

/** Reads choices of any number of users with one statement; null: a user made none. */
export type LoadChoices = (choosers: readonly Chooser[]) => Promise<(chooser: Chooser) => Choices | null>;

/**
 * True for marketing if the user opted out of the channel or of the category. Transactional messages (receipts,
 * security) are always allowed. Throws nothing.
 */
export const hasUnsubscribed = (
  choices: Choices | null,
  { class: sendClass, category }: { readonly class: string; readonly category: string | null },
): boolean =>
  sendClass === 'marketing' &&
  (choices?.get(EVERY_CATEGORY) === false || (category !== null && choices?.get(category) === false));
