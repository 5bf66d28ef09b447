// Statistics of a test from the counts of its variants. Pure.

import { sharesOf } from '../../../foundation/ab-bucket.ts';
import type { AbTestStats, AbTestVariantStats } from '../answers.generated.ts';
import { probabilitiesToBeBest } from './best.ts';
import { newcombe, type Share, wilson } from './intervals.ts';
import { chiSquaredTail, normalBound } from './special.ts';

/** Source: contract, A/B tests. */
const WARNS_BELOW = 0.001;
/** Family-wise error rate of all comparisons. Chosen: the usual one. */
const ALPHA = 0.05;

/** Counts of a variant. */
export type VariantTally = Pick<
  AbTestVariantStats,
  | 'key'
  | 'weight'
  | 'assigned'
  | 'reached'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'suppressed'
  | 'uniqueOpened'
  | 'uniqueClicked'
  | 'opened'
  | 'clicked'
  | 'converted'
>;

const rate = (hits: number, of: number): number => (of === 0 ? 0 : hits / of);

/** Sample-ratio mismatch: whether the assigned users match the bucket shares. Throws nothing. */
export const srmOf = (tallies: readonly Pick<VariantTally, 'weight' | 'assigned'>[]): AbTestStats['srm'] => {
  const shares = sharesOf(tallies.map(({ weight }) => weight));
  const total = tallies.reduce((sum, { assigned }) => sum + assigned, 0);
  if (total === 0) return { chi2: 0, pValue: 1, warning: false };
  let chi2 = 0;
  let cells = 0;
  for (const [at, { assigned }] of tallies.entries()) {
    const expected = (total * (shares[at] ?? 0)) / 100;
    // A variant with weight 0 has nothing to compare.
    if (expected === 0) continue;
    chi2 += (assigned - expected) ** 2 / expected;
    cells += 1;
  }
  const pValue = chiSquaredTail(chi2, cells - 1);
  return { chi2, pValue, warning: pValue < WARNS_BELOW };
};

const conversions = ({ converted, reached }: VariantTally): Share => ({ hits: converted, of: reached });
const conversionRate = ({ converted, reached }: VariantTally): number => rate(converted, reached);

const leaderOf = (tallies: readonly VariantTally[]): VariantTally | null => {
  const most = Math.max(...tallies.map(conversionRate));
  const leaders = tallies.filter((one) => conversionRate(one) === most);
  return most > 0 && leaders.length === 1 ? (leaders[0] ?? null) : null;
};

/** True if the leader's rate differs from every other; each comparison gets an equal part of the error rate. */
const isSignificant = (tallies: readonly VariantTally[], leader: VariantTally | null): boolean => {
  const others = tallies.filter((one) => one !== leader && one.reached > 0);
  if (leader === null || others.length === 0) return false;
  const z = normalBound(ALPHA / others.length);
  return others.every((other) => newcombe(conversions(leader), conversions(other), z)[0] > 0);
};

const liftOf = (tally: VariantTally, first: VariantTally | undefined): number | null =>
  first === undefined || tally === first || first.converted === 0
    ? null
    : conversionRate(tally) / conversionRate(first) - 1;

/** Rates, intervals and verdicts from counts, in variant order. Throws nothing. */
export const figuresOf = (
  tallies: readonly VariantTally[],
): Pick<AbTestStats, 'variants' | 'srm' | 'leader' | 'significant'> => {
  const best = probabilitiesToBeBest(tallies.map(conversions));
  const srm = srmOf(tallies);
  const leader = leaderOf(tallies);
  return {
    variants: tallies.map((tally, at) => ({
      ...tally,
      openRate: rate(tally.uniqueOpened, tally.sent),
      clickRate: rate(tally.uniqueClicked, tally.sent),
      conversionRate: conversionRate(tally),
      lift: liftOf(tally, tallies[0]),
      ci95: wilson(conversions(tally)),
      probabilityToBeBest: best[at] ?? 0,
    })),
    srm,
    leader: leader?.key ?? null,
    significant: !srm.warning && isSignificant(tallies, leader),
  };
};
