// Counts the messages of a test by variant, and users once. Messages arrive ordered by counted unit, so only one unit
// is kept in memory.

import type { VariantCount, VariantMessage } from '../../sends/variants/variant-message.ts';
import type { Metric, StoredVariant } from '../schema.ts';
import type { VariantTally } from './stats.ts';

const HOUR_MS = 3_600_000;

type Counts = { -readonly [Name in keyof Omit<VariantTally, 'key' | 'weight'>]: number };

const nothing = (): Counts => ({
  assigned: 0,
  reached: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  suppressed: 0,
  uniqueOpened: 0,
  uniqueClicked: 0,
  opened: 0,
  clicked: 0,
  converted: 0,
});

/** True if a message's user did what the metric counts. Pure. Throws nothing. */
export const hasConverted = (
  {
    sentAt,
    openedAt,
    clickedAt,
    convertedAt,
  }: Pick<VariantMessage, 'sentAt' | 'openedAt' | 'clickedAt' | 'convertedAt'>,
  { type, windowHours }: Metric,
): boolean => {
  // Events were checked against the window when they were counted.
  if (type === 'event') return convertedAt !== null;
  const at = type === 'open' ? openedAt : clickedAt;
  return at !== null && sentAt !== null && at.getTime() - sentAt.getTime() <= windowHours * HOUR_MS;
};

/** Counts messages of a test, page by page; call `result` once, after the last page. Throws nothing. */
export const tallying = (variants: readonly StoredVariant[], metric: Metric) => {
  const counts = new Map(variants.map(({ key }) => [key, nothing()]));
  let person: { readonly unit: string; readonly variant: string; isReached: boolean; isConverted: boolean } | null =
    null;

  const closePerson = (): void => {
    const of = person === null ? undefined : counts.get(person.variant);
    if (person === null || of === undefined) return;
    of.assigned += 1;
    if (person.isReached) of.reached += 1;
    if (person.isConverted) of.converted += 1;
  };

  return {
    add: (messages: readonly VariantMessage[]): void => {
      for (const message of messages) {
        const { unit, variant, status, sentAt } = message;
        const of = counts.get(variant);
        if (of === undefined) continue;
        if (person === null || person.unit !== unit || person.variant !== variant) {
          closePerson();
          person = { unit, variant, isReached: false, isConverted: false };
        }
        if (sentAt !== null) {
          of.sent += 1;
          person.isReached = true;
        }
        if (message.deliveredAt !== null) of.delivered += 1;
        if (status === 'failed' || status === 'bounced') of.failed += 1;
        if (status === 'suppressed') of.suppressed += 1;
        if (message.openedAt !== null) of.uniqueOpened += 1;
        if (message.clickedAt !== null) of.uniqueClicked += 1;
        if (person.isReached && hasConverted(message, metric)) person.isConverted = true;
      }
    },
    result: (engaged: readonly VariantCount[]): readonly VariantTally[] => {
      closePerson();
      for (const { variant, opened, clicked } of engaged) {
        const of = counts.get(variant);
        if (of !== undefined) Object.assign(of, { opened, clicked });
      }
      return variants.map(({ key, weight }) => ({ key, weight, ...(counts.get(key) ?? nothing()) }));
    },
  };
};
