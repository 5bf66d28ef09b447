import { describe, expect, it } from 'vitest';
import { MAX_CLAIM } from '../../registration.ts';
import { type ClaimThrottle, claimThrottle } from './claim-throttle.ts';

const MOST = MAX_CLAIM;
const nobody = async (): Promise<boolean> => false;

const ends = (pace: ClaimThrottle, count: number): void => {
  for (let at = 0; at < count; at += 1) pace.ended();
};
const claims = (pace: ClaimThrottle, rows: number, nowMs: number, owner = 'a'): void =>
  pace.claimed(Array<string>(rows).fill(owner), nowMs);

/** A throttle after three full claims, of which 56 rows did not fit, at 1,000 milliseconds. */
const crowdedPace = (hasOtherOwnersDue: Parameters<typeof claimThrottle>[0] = nobody): ClaimThrottle => {
  const pace = claimThrottle(hasOtherOwnersDue);
  for (let at = 0; at < 3; at += 1) {
    pace.claimLimit(MOST, 1_000);
    claims(pace, MAX_CLAIM, 1_000);
  }
  pace.putOff(56, true, 1_000);
  return pace;
};
/** The same, when it claims again. */
const flowingPace = (hasOtherOwnersDue?: Parameters<typeof claimThrottle>[0]): ClaimThrottle => {
  const pace = crowdedPace(hasOtherOwnersDue);
  ends(pace, MAX_CLAIM);
  return pace;
};
const answered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('claimPace', () => {
  it('the throttle claims everything while it fits', () => {
    const pace = claimThrottle(nobody);
    expect(pace.claimLimit(MOST, 0)).toBe(MOST);
    claims(pace, MAX_CLAIM, 0);
    expect(pace.claimLimit(100, 1)).toBe(100);
  });

  it('a throttled claim takes as many rows as ended, and never just a few', () => {
    const pace = crowdedPace();
    expect(pace.claimLimit(MOST, 1_000)).toBe(0);
    ends(pace, MAX_CLAIM);
    expect(pace.claimLimit(MOST, 1_010)).toBe(0);
    ends(pace, 63);
    expect(pace.claimLimit(MOST, 1_030)).toBe(0);
    ends(pace, 17);
    expect(pace.claimLimit(MOST, 1_040)).toBe(80);
    claims(pace, 80, 1_040);
    expect(pace.claimLimit(MOST, 1_080)).toBe(0);
  });

  it('rows beyond one claim are claimed later', () => {
    const pace = flowingPace();
    ends(pace, 200);
    expect(pace.claimLimit(120, 1_010)).toBe(120);
    claims(pace, 120, 1_010);
    expect(pace.claimLimit(MOST, 1_010)).toBe(80);
  });

  it('the throttle claims more than ended if less is left in hand', () => {
    const pace = flowingPace();
    // 456 of 712 rows in hand have ended.
    ends(pace, 100);
    expect(pace.claimLimit(MOST, 1_010)).toBe(100);
    claims(pace, 100, 1_010);
    ends(pace, 229);
    expect(pace.claimLimit(1_000, 1_020)).toBe(458);
  });

  it('the throttle claims everything if too few rows end, so that slow owners delay nobody', () => {
    const pace = crowdedPace();
    ends(pace, MAX_CLAIM + 63);
    expect(pace.claimLimit(MOST, 1_049)).toBe(0);
    expect(pace.claimLimit(MOST, 1_050)).toBe(MOST);
    claims(pace, MAX_CLAIM, 1_050);
    expect(pace.claimLimit(MOST, 1_099)).toBe(0);
    expect(pace.claimLimit(MOST, 1_100)).toBe(MOST);
  });

  it('the throttle claims everything after a while if other owners wait, until no rows are left', async () => {
    const asked: string[][] = [];
    const pace = flowingPace(async (given) => {
      asked.push([...given]);
      return true;
    });
    ends(pace, 100);
    expect(pace.claimLimit(100, 1_999)).toBe(100);
    claims(pace, 100, 1_999, 'b');
    ends(pace, 100);
    expect(pace.claimLimit(MOST, 2_000)).toBe(100);
    await answered();
    expect(asked).toEqual([['a', 'b']]);
    expect(pace.claimLimit(MOST, 2_001)).toBe(MOST);
    claims(pace, MAX_CLAIM, 2_001);
    pace.putOff(200, true, 2_010);
    expect(pace.claimLimit(MOST, 2_010)).toBe(MOST);
    claims(pace, MAX_CLAIM - 1, 2_010);
    pace.claimLimit(MOST, 2_020);
    claims(pace, MAX_CLAIM, 2_020);
    pace.putOff(1, true, 2_020);
    expect(pace.claimLimit(MOST, 2_020)).toBe(0);
  });

  it('the throttle continues if no other owner waits, and later checks the owners served since', async () => {
    const asked: string[][] = [];
    const pace = flowingPace(async (given) => {
      asked.push([...given]);
      return false;
    });
    ends(pace, 100);
    expect(pace.claimLimit(MOST, 2_000)).toBe(100);
    claims(pace, 100, 2_000, 'b');
    await answered();
    ends(pace, 70);
    expect(pace.claimLimit(MOST, 2_010)).toBe(70);
    claims(pace, 70, 2_010, 'c');
    ends(pace, 70);
    expect(pace.claimLimit(MOST, 3_000)).toBe(70);
    await answered();
    expect(asked).toEqual([['a'], ['b', 'c']]);
  });

  it('the throttle claims everything if the check for other owners fails', async () => {
    const pace = flowingPace(() => Promise.reject(new Error('the database is away')));
    ends(pace, 100);
    expect(pace.claimLimit(MOST, 2_000)).toBe(100);
    await answered();
    expect(pace.claimLimit(MOST, 2_000)).toBe(MOST);
  });

  it('the throttle does not wait if targets finish nothing, or if no more rows were due', () => {
    const stuck = claimThrottle(nobody);
    stuck.claimLimit(MOST, 0);
    claims(stuck, MAX_CLAIM, 0);
    stuck.putOff(1, false, 0);
    expect(stuck.claimLimit(MOST, 0)).toBe(MOST);
    const pace = claimThrottle(nobody);
    pace.claimLimit(MOST, 0);
    claims(pace, MAX_CLAIM - 1, 0);
    pace.putOff(1, true, 0);
    expect(pace.claimLimit(MOST, 0)).toBe(MOST);
    const patient = flowingPace();
    ends(patient, 100);
    expect(patient.claimLimit(MOST, 1_010)).toBe(100);
    claims(patient, 99, 1_010);
    expect(patient.claimLimit(MOST, 1_010)).toBe(MOST);
  });
});
