import { describe, expect, it } from 'vitest';
import { rule, settingsWith } from '../../../test/support/caps/capped.ts';
import { randomOf } from '../../../test/support/caps/race.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { assign, type CapRequest, type Reserved, type Slot, slotKey } from './assign.ts';
import { rulesOf } from './rules.ts';

const SCOPE = scopeOf(testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' }));
const [strict, loose] = rulesOf(settingsWith(rule(1), rule(3, { channel: 'push' })).frequencyCap);
if (!strict || !loose) throw new Error('there are two rules');

const slot = (person: string, sendId: string, under = strict): Slot => ({ ...SCOPE, person, rule: under, sendId });
const request = (...slots: Slot[]): CapRequest => ({ slots, handovers: 1 });
const NONE: Reserved = { reserved: 0, isHeld: false };

/** The result of each request: `-` for none, else the number of handovers that its own entries add. */
const got = (requests: readonly CapRequest[], reserved: Readonly<Record<string, Reserved>> = {}): string[] =>
  assign(requests, (one) => reserved[slotKey(one)] ?? NONE).map((uses) =>
    uses === null ? '-' : uses.map(({ handovers }) => handovers).join(' '),
  );

describe('assigning cap entries', () => {
  it('earlier messages reserve first', () => {
    expect(got([request(slot('u:ann', 's1')), request(slot('u:ann', 's2')), request(slot('u:ben', 's2'))])).toEqual([
      '1',
      '-',
      '1',
    ]);
  });

  it('messages of one send to one user share an entry', () => {
    const [first, second] = [slot('u:ann', 's1'), slot('u:ann', 's2')];
    expect(got([request(first), request(second), request(first)])).toEqual(['2', '-', '']);
    expect(got([request(first), { slots: [first], handovers: 0 }])).toEqual(['1', '']);
  });

  it('a copy goes if there is capacity and reserves nothing', () => {
    const copy = (sendId: string): CapRequest => ({ slots: [slot('u:ann', sendId)], handovers: 0 });
    expect(got([copy('s1'), copy('s2'), request(slot('u:ann', 's3')), copy('s3'), copy('s1')])).toEqual([
      '',
      '',
      '1',
      '',
      '-',
    ]);
    const full = { [slotKey(slot('u:ann', 's1'))]: { reserved: 1, isHeld: true } };
    expect(got([copy('s1'), request(slot('u:ann', 's1'))], full)).toEqual(['', '1']);
    expect(got([copy('s1')], { [slotKey(slot('u:ann', 's1'))]: { reserved: 1, isHeld: false } })).toEqual(['-']);
  });

  it('a send with its entry continues when all entries are reserved', () => {
    const [own, other] = [slot('u:ann', 's1', loose), slot('u:ann', 's2', loose)];
    const reserved = {
      [slotKey(own)]: { reserved: 2, isHeld: true },
      [slotKey(other)]: { reserved: 2, isHeld: false },
    };
    expect(
      got([request(own), request(other), request(slot('u:ann', 's3', loose))], {
        ...reserved,
        [slotKey(slot('u:ann', 's3', loose))]: { reserved: 2, isHeld: false },
      }),
    ).toEqual(['1', '1', '-']);
    expect(got([request(own)], { [slotKey(own)]: { reserved: 9, isHeld: true } })).toEqual(['1']);
  });

  it('scopes, users and rules are counted separately', () => {
    const one = slot('u:ann', 's1');
    const others = [{ ...one, scopeId: one.scopeId + 1 }, slot('u:ben', 's1'), slot('u:ann', 's1', loose)];
    expect(got([one, ...others].map((own) => request({ ...own, sendId: 's2' })))).toEqual(['1', '1', '1', '1']);
    expect(new Set([one, ...others].map(slotKey)).size).toBe(4);
  });

  it('nothing is reserved under one rule if another rule is full', () => {
    const both = (sendId: string) => request(slot('u:ann', sendId, loose), slot('u:ann', sendId));
    const requests = [
      both('s1'),
      both('s2'),
      both('s3'),
      ...['s4', 's5', 's6'].map((id) => request(slot('u:ann', id, loose))),
    ];
    expect(got(requests)).toEqual(['1 1', '-', '-', '1', '1', '-']);
  });

  it('assigning a batch equals assigning its messages one by one', () => {
    const random = randomOf(7);
    const pick = <T>(list: readonly T[]): T => {
      const one = list[Math.floor(random() * list.length)];
      if (one === undefined) throw new Error('there is nothing to pick');
      return one;
    };
    let differences = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const requests = Array.from({ length: 12 }, () => {
        const [person, sendId] = [pick(['u:ann', 'u:ben']), pick(['s1', 's2', 's3', 's4', 's5'])];
        const rules = pick([[strict], [loose], [strict, loose]]);
        return request(...rules.map((one) => slot(person, sendId, one)));
      });
      const held = new Map<string, Set<string>>();
      const one = requests.map(({ slots }) => {
        const pools = slots.map(({ person, rule: { id, max }, sendId }) => {
          const key = `${person} ${id}`;
          const pool = held.get(key) ?? new Set<string>();
          held.set(key, pool);
          return { pool, sendId, max };
        });
        if (!pools.every(({ pool, sendId, max }) => pool.has(sendId) || pool.size < max)) return false;
        for (const { pool, sendId } of pools) pool.add(sendId);
        return true;
      });
      const assigned = assign(requests, () => NONE).map((uses) => uses !== null);
      if (assigned.some((is, at) => is !== one[at])) differences += 1;
    }
    expect(differences).toBe(0);
  });
});
