// What people chose to get. Pure.

import type { Channel } from '../../foundation/channel.ts';
import type { InScope } from '../../foundation/scope.ts';

/** Stands for all marketing of a channel; no category is called so. */
export const EVERY_CATEGORY = '';

/** Of one person and channel: whether they want a category, by its name. */
export type Choices = ReadonlyMap<string, boolean>;

export type Chooser = InScope & { readonly person: string; readonly channel: Channel };

/** Choices of any number of people by one statement; null: they made none. */
export type LoadChoices = (choosers: readonly Chooser[]) => Promise<(chooser: Chooser) => Choices | null>;

/**
 * True for marketing that a person has unsubscribed from: all of the channel's, or its category. What they need to know
 * (receipts, security) goes out whatever they chose. Throws nothing.
 */
export const hasUnsubscribed = (
  choices: Choices | null,
  { class: sendClass, category }: { readonly class: string; readonly category: string | null },
): boolean =>
  sendClass === 'marketing' &&
  (choices?.get(EVERY_CATEGORY) === false || (category !== null && choices?.get(category) === false));
