import { describe, expect, it } from 'vitest';
import { MAX_CLAIM } from '../../registration.ts';
import { claimPace, type Pace } from './pace.ts';

const MOST = MAX_CLAIM;
const nobody = async (): Promise<boolean> => false;

const ends = (pace: Pace, count: number): void => {
  for (let at = 0; at < count; at += 1) pace.ended();
};
const claims = (pace: Pace, rows: number, nowMs: number, owner = 'a'): void =>
  pace.claimed(Array<string>(rows).fill(owner), nowMs);

/** A pace at which three whole claims were made, of which 56 rows did not fit, at 1,000 milliseconds. */
const crowdedPace = (isAnyoneBehind: Parameters<typeof claimPace>[0] = nobody): Pace => {
  const pace = claimPace(isAnyoneBehind);
  for (let at = 0; at < 3; at += 1) {
    pace.room(MOST, 1_000);
    claims(pace, MAX_CLAIM, 1_000);
  }
  pace.putOff(56, true, 1_000);
  return pace;
};
/** The same, once it claims again. */
const flowingPace = (isAnyoneBehind?: Parameters<typeof claimPace>[0]): Pace => {
  const pace = crowdedPace(isAnyoneBehind);
  ends(pace, MAX_CLAIM);
  return pace;
};
const answered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('claimPace', () => {
  it('claims whatever there is as long as it fits', () => {
    const pace = claimPace(nobody);
    expect(pace.room(MOST, 0)).toBe(MOST);
    claims(pace, MAX_CLAIM, 0);
    expect(pace.room(100, 1)).toBe(100);
  });

  it('claims as many as end once some did not fit and a claim of them has ended, and not a few of them alone', () => {
    const pace = crowdedPace();
    expect(pace.room(MOST, 1_000)).toBe(0);
    ends(pace, MAX_CLAIM);
    expect(pace.room(MOST, 1_010)).toBe(0);
    ends(pace, 63);
    expect(pace.room(MOST, 1_030)).toBe(0);
    ends(pace, 17);
    expect(pace.room(MOST, 1_040)).toBe(80);
    claims(pace, 80, 1_040);
    expect(pace.room(MOST, 1_080)).toBe(0);
  });

  it('claims later what of them was too much for one claim', () => {
    const pace = flowingPace();
    ends(pace, 200);
    expect(pace.room(120, 1_010)).toBe(120);
    claims(pace, 120, 1_010);
    expect(pace.room(MOST, 1_010)).toBe(80);
  });

  it('claims more than end where less is left in hand than ended', () => {
    const pace = flowingPace();
    // Of 712 in hand 456 have ended.
    ends(pace, 100);
    expect(pace.room(MOST, 1_010)).toBe(100);
    claims(pace, 100, 1_010);
    ends(pace, 229);
    expect(pace.room(1_000, 1_020)).toBe(458);
  });

  it('claims everything where too few end, so that whoever is behind waits for nobody who is slow', () => {
    const pace = crowdedPace();
    ends(pace, MAX_CLAIM + 63);
    expect(pace.room(MOST, 1_049)).toBe(0);
    expect(pace.room(MOST, 1_050)).toBe(MOST);
    claims(pace, MAX_CLAIM, 1_050);
    expect(pace.room(MOST, 1_099)).toBe(0);
    expect(pace.room(MOST, 1_100)).toBe(MOST);
  });

  it('claims everything after a while where others are behind, until no more is there', async () => {
    const asked: string[][] = [];
    const pace = flowingPace(async (given) => {
      asked.push([...given]);
      return true;
    });
    ends(pace, 100);
    expect(pace.room(100, 1_999)).toBe(100);
    claims(pace, 100, 1_999, 'b');
    ends(pace, 100);
    expect(pace.room(MOST, 2_000)).toBe(100);
    await answered();
    expect(asked).toEqual([['a', 'b']]);
    expect(pace.room(MOST, 2_001)).toBe(MOST);
    claims(pace, MAX_CLAIM, 2_001);
    pace.putOff(200, true, 2_010);
    expect(pace.room(MOST, 2_010)).toBe(MOST);
    claims(pace, MAX_CLAIM - 1, 2_010);
    pace.room(MOST, 2_020);
    claims(pace, MAX_CLAIM, 2_020);
    pace.putOff(1, true, 2_020);
    expect(pace.room(MOST, 2_020)).toBe(0);
  });

  it('goes on as before where nobody is behind, and asks again about whoever was given something since', async () => {
    const asked: string[][] = [];
    const pace = flowingPace(async (given) => {
      asked.push([...given]);
      return false;
    });
    ends(pace, 100);
    expect(pace.room(MOST, 2_000)).toBe(100);
    claims(pace, 100, 2_000, 'b');
    await answered();
    ends(pace, 70);
    expect(pace.room(MOST, 2_010)).toBe(70);
    claims(pace, 70, 2_010, 'c');
    ends(pace, 70);
    expect(pace.room(MOST, 3_000)).toBe(70);
    await answered();
    expect(asked).toEqual([['a'], ['b', 'c']]);
  });

  it('claims everything where it cannot be told who is behind', async () => {
    const pace = flowingPace(() => Promise.reject(new Error('the database is away')));
    ends(pace, 100);
    expect(pace.room(MOST, 2_000)).toBe(100);
    await answered();
    expect(pace.room(MOST, 2_000)).toBe(MOST);
  });

  it('waits for nothing where those who are called take nothing, or no more was behind what did not fit', () => {
    const stuck = claimPace(nobody);
    stuck.room(MOST, 0);
    claims(stuck, MAX_CLAIM, 0);
    stuck.putOff(1, false, 0);
    expect(stuck.room(MOST, 0)).toBe(MOST);
    const pace = claimPace(nobody);
    pace.room(MOST, 0);
    claims(pace, MAX_CLAIM - 1, 0);
    pace.putOff(1, true, 0);
    expect(pace.room(MOST, 0)).toBe(MOST);
    const patient = flowingPace();
    ends(patient, 100);
    expect(patient.room(MOST, 1_010)).toBe(100);
    claims(patient, 99, 1_010);
    expect(patient.room(MOST, 1_010)).toBe(MOST);
  });
});
