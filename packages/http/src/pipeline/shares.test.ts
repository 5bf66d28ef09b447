import { describe, expect, it } from 'vitest';
import { fairShares, newHolding } from './shares.ts';

const setUp = (options: { readonly maxOwners?: number } = {}) => {
  let nowMs = 0;
  const shares = fairShares({ ...options, now: () => nowMs });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const begin = (owner: string) => {
    const holding = newHolding();
    shares.hold(holding, owner);
    return holding;
  };
  /** A call: rejected if its owner is above its share, otherwise it takes this long. */
  const call = (owner: string, tookMs = 1): 'refused' | 'passed' => {
    const holding = begin(owner);
    if (shares.isOver(holding)) {
      shares.refuse(holding);
      return 'refused';
    }
    pass(tookMs);
    shares.release(holding);
    return 'passed';
  };
  return { shares, begin, call, pass };
};
const others = Array.from({ length: 10 }, (_, at) => `other ${at}`);

describe('shares of owners', () => {
  it('a single owner is above its share, because no other owner could have caused the load', () => {
    const { call } = setUp();
    expect([call('only'), call('only')]).toEqual(['refused', 'refused']);
  });

  it('an owner with many calls at once is above its share, and ten others with one call each are not', () => {
    const { shares, begin, call } = setUp();
    const flood = Array.from({ length: 500 }, () => begin('flood'));
    expect(others.map((owner) => call(owner))).toEqual(others.map(() => 'passed'));
    expect(call('flood')).toBe('refused');
    for (const holding of flood) shares.release(holding);
    expect(call('flood')).toBe('refused');
  });

  it('an owner with few long calls is above its share, and others with more short calls are not', () => {
    const { begin, call, pass } = setUp();
    for (let at = 0; at < 20; at += 1) begin('slow');
    for (let second = 0; second < 10; second += 1) {
      for (const owner of others) expect(call(owner, 5), owner).toBe('passed');
      pass(950);
    }
    expect(call('slow')).toBe('refused');
  });

  it('an owner that is rejected and continues stays above its share, and others stay below', () => {
    const { begin, shares, call, pass } = setUp();
    const first = Array.from({ length: 100 }, () => begin('flood'));
    pass(50);
    for (const holding of first) shares.release(holding);
    for (let at = 0; at < 600; at += 1) {
      for (let more = 0; more < 10; more += 1) expect(call('flood')).toBe('refused');
      if (at % 10 === 0) for (const owner of others) expect(call(owner)).toBe('passed');
      pass(100);
    }
  });

  it('an owner whose flood has ended falls below its share by itself', () => {
    const { begin, shares, call, pass } = setUp();
    const flood = Array.from({ length: 100 }, () => begin('flood'));
    pass(100);
    for (const holding of flood) shares.release(holding);
    const load = () => {
      for (const owner of others) call(owner, 20);
    };
    load();
    expect(call('flood')).toBe('refused');
    for (let second = 0; second < 60; second += 1) {
      load();
      pass(1_000);
    }
    load();
    expect(call('flood', 0)).toBe('passed');
  });

  it('owners with equal usage are all above their share, because no single owner causes the load', () => {
    const { begin, shares, pass } = setUp();
    const equal = Array.from({ length: 1_000 }, (_, at) => begin(`caller ${at}`));
    for (const ms of [0, 1, 70, 1_000]) {
      pass(ms);
      expect(equal.filter((holding) => shares.isOver(holding))).toHaveLength(1_000);
    }
  });

  it('an owner is not above its share because many others hardly call', () => {
    const { begin, shares, call, pass } = setUp();
    for (let at = 0; at < 5_000; at += 1) shares.release(begin(`visitor ${at}`));
    const orgs = others.map((owner) => [owner, begin(owner)] as const);
    const flood = Array.from({ length: 100 }, () => begin('flood'));
    pass(500);
    expect(orgs.filter(([, holding]) => shares.isOver(holding))).toEqual([]);
    expect([call('other 1'), call('flood')]).toEqual(['passed', 'refused']);
    for (const holding of flood) shares.release(holding);
  });

  it('a smaller fraction of the mean also rejects owners that use less, down to all of them', () => {
    const { begin, shares } = setUp();
    const first = Array.from({ length: 60 }, () => begin('first'))[0] ?? newHolding();
    const second = Array.from({ length: 30 }, () => begin('second'))[0] ?? newHolding();
    const third = begin('third');
    const over = (part: number) => [first, second, third].map((holding) => shares.isOver(holding, part));
    expect([over(1), over(0.5), over(0.01)]).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it('a call counts for the network until its key is known, and then only for the organization', () => {
    const { shares, begin, pass } = setUp();
    const floods = Array.from({ length: 100 }, () => begin('203.0.113.7'));
    // Looking up their keys takes this long.
    pass(2_000);
    for (const holding of floods) shares.hold(holding, 'org flood');
    const innocent = begin('203.0.113.7');
    expect([shares.isOver(innocent), shares.isOver(innocent, 0.01)]).toEqual([false, false]);
    shares.hold(innocent, 'org other');
    expect([shares.isOver(innocent), floods.every((holding) => shares.isOver(holding))]).toEqual([false, true]);
  });

  it('a bounded number of owners is remembered, those with calls in progress first', () => {
    const { shares, begin, call, pass } = setUp({ maxOwners: 100 });
    const flood = Array.from({ length: 1_000 }, () => begin('flood'));
    for (let at = 0; at < 5_000; at += 1) {
      pass(10);
      call(`visitor ${at}`, 0);
      expect(shares.count()).toBeLessThanOrEqual(100);
    }
    expect(flood.every((holding) => shares.isOver(holding))).toBe(true);
    for (const holding of flood) shares.release(holding);
    expect(call('flood')).toBe('refused');
  });

  it('a call that ends twice, or never began, changes nothing', () => {
    const { shares, begin } = setUp();
    const [one, other] = [begin('one'), begin('one')];
    shares.release(one);
    shares.release(one);
    shares.refuse(one);
    shares.release(newHolding());
    expect(shares.isOver(newHolding())).toBe(true);
    shares.release(other);
    // Its deadline has passed, and the work that it began continues.
    shares.hold(other, 'late');
    expect([other.owner, shares.count()]).toEqual([null, 1]);
  });
});
