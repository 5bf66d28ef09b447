import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { newPlace, openSample, type Place } from '../../test/support/database/open-sample.ts';
import { virtualClock } from '../foundation/clock.ts';
import { examineDatabase } from './examine.ts';

describe('examineDatabase', () => {
  let place: Place;
  beforeEach(async () => {
    place = await newPlace();
  });
  afterEach(() => place.remove());

  it('examineDatabase reports the version and health of a database in use', async () => {
    const { close } = await openSample(place.url);
    const clock = virtualClock(new Date(Date.now() - 3_600_000));
    const facts = await examineDatabase({ db: place.url, clock });
    expect(facts.version).toMatch(/^\d+\.\d+/);
    if (facts.dialect === 'sqlite') {
      expect(facts).toMatchObject({ integrity: 'ok' });
      expect(facts.walBytes).toBeGreaterThan(0);
    } else {
      expect(facts.areSignalsDelivered).toBe(true);
      expect(Math.abs(facts.clockAheadMs - 3_600_000)).toBeLessThan(60_000);
    }
    expect(facts.dialect).toBe(inject('engine'));
    await close();
  });
});
