import { describe, expect, it } from 'vitest';
import { MAX_CLAIM } from '../../registration.ts';
import { claimPace, type Pace } from './pace.ts';

const ALL = Number.POSITIVE_INFINITY;

const ends = (pace: Pace, count: number): void => {
  for (let at = 0; at < count; at += 1) pace.ended();
};

/** A pace at which a whole claim was made of which some did not fit, at 1,000 milliseconds. */
const crowdedPace = (): Pace => {
  const pace = claimPace();
  pace.room(1_000);
  pace.claimed(MAX_CLAIM, 1_000);
  pace.crowded(1_000);
  return pace;
};

describe('claimPace', () => {
  it('claims whatever there is as long as it fits', () => {
    const pace = claimPace();
    expect(pace.room(0)).toBe(ALL);
    pace.claimed(MAX_CLAIM, 0);
    expect(pace.room(1)).toBe(ALL);
  });

  it('claims as many as end once some did not fit, and not a few of them alone', () => {
    const pace = crowdedPace();
    expect(pace.room(1_000)).toBe(0);
    ends(pace, 63);
    expect(pace.room(1_030)).toBe(0);
    ends(pace, 17);
    expect(pace.room(1_040)).toBe(80);
    pace.claimed(80, 1_040);
    expect(pace.room(1_080)).toBe(0);
  });

  it('claims everything where too few end, so that whoever is behind waits for nobody who is slow', () => {
    const pace = crowdedPace();
    ends(pace, 63);
    expect(pace.room(1_049)).toBe(0);
    expect(pace.room(1_050)).toBe(ALL);
    pace.claimed(MAX_CLAIM, 1_050);
    expect(pace.room(1_099)).toBe(0);
    expect(pace.room(1_100)).toBe(ALL);
  });

  it('claims everything after a while, also what does not fit, until no more is there', () => {
    const pace = crowdedPace();
    ends(pace, 100);
    expect(pace.room(1_999)).toBe(100);
    expect(pace.room(2_000)).toBe(ALL);
    pace.claimed(MAX_CLAIM, 2_000);
    pace.crowded(2_010);
    expect(pace.room(2_010)).toBe(ALL);
    pace.claimed(MAX_CLAIM - 1, 2_010);
    pace.room(2_020);
    pace.claimed(MAX_CLAIM, 2_020);
    pace.crowded(2_020);
    expect(pace.room(2_020)).toBe(0);
  });

  it('waits for nothing where no more was behind what did not fit', () => {
    const pace = claimPace();
    pace.room(0);
    pace.claimed(MAX_CLAIM - 1, 0);
    pace.crowded(0);
    expect(pace.room(0)).toBe(ALL);
    const patient = crowdedPace();
    ends(patient, 100);
    expect(patient.room(1_010)).toBe(100);
    patient.claimed(99, 1_010);
    expect(patient.room(1_010)).toBe(ALL);
  });
});
