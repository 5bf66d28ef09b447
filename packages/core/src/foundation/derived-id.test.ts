import { describe, expect, it } from 'vitest';
import { virtualClock } from './clock.ts';
import {
  derivedId,
  firstIdOf,
  followingId,
  idHead,
  millisecondOf,
  momentId,
  placedId,
  rowsOfMoment,
} from './derived-id.ts';
import { isUuid, uuidV7Ids } from './ids.ts';

const at = new Date('2026-03-01T10:00:00.123Z');

describe('derived ids', () => {
  it('derivedId is equal for the same subject and moment only', () => {
    const id = derivedId(at, 'm1/push.sent');
    expect(derivedId(new Date(at), 'm1/push.sent')).toBe(id);
    expect(derivedId(at, 'm2/push.sent')).not.toBe(id);
    expect(derivedId(new Date(at.getTime() + 1), 'm1/push.sent')).not.toBe(id);
  });

  it('derived ids are UUIDs of version 7 that carry their moment', () => {
    const id = derivedId(at, 'anything');
    expect(isUuid(id)).toBe(true);
    expect([id[14], id[19]]).toEqual(['7', '8']);
    expect(millisecondOf(id)).toBe(at.getTime());
  });

  it('a derived id lies between the least ids of its millisecond and the next, as a generated id does', () => {
    const given = uuidV7Ids(virtualClock(at.toISOString())).next();
    for (const id of [derivedId(at, ''), derivedId(at, 'zzz'), given]) {
      expect(id >= firstIdOf(at.getTime())).toBe(true);
      expect(id < firstIdOf(at.getTime() + 1)).toBe(true);
      expect(millisecondOf(id)).toBe(at.getTime());
    }
    expect(derivedId(at, '') > given).toBe(true);
  });

  it('placedId sorts by place, whatever the random digits are', () => {
    const places = [1, 2, 4_095, 4_096, 9_999, 2 ** 24 - 1];
    const ids = places.map((place, index) => placedId(at, place, (index % 2 === 0 ? 'f' : '0').repeat(12)));
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.map((id) => [isUuid(id), id[14], id[19], millisecondOf(id)])).toEqual(
      places.map(() => [true, '7', '8', at.getTime()]),
    );
    expect(ids[0]?.startsWith(idHead(at))).toBe(true);
  });

  it('followingId sorts as the source rows do, one id for each subject', () => {
    const ids = uuidV7Ids(virtualClock(at.toISOString()));
    const rows = Array.from({ length: 100 }, () => ids.next());
    const following = rows.flatMap((id) =>
      ['a', 'b', 'c'].map((subject) => ({ id, next: followingId(at, id, subject) })),
    );
    const sorted = following.toSorted((a, b) => (a.next < b.next ? -1 : 1));
    expect(sorted.map(({ id }) => id)).toEqual(following.map(({ id }) => id));
    expect(new Set(following.map(({ next }) => next)).size).toBe(300);
    const later = new Date(at.getTime() + 5);
    const [row = ''] = rows;
    expect(followingId(at, row, 'a')).toBe(following[0]?.next);
    expect([isUuid(followingId(later, row, 'a')), millisecondOf(followingId(later, row, 'a'))]).toEqual([
      true,
      later.getTime(),
    ]);
  });

  it('millisecondOf returns NaN for a text that is no id', () => {
    expect(millisecondOf('nothing at all')).toBeNaN();
  });

  it('momentId leads back to its row and sorts as the rows do within their millisecond', () => {
    const ids = uuidV7Ids({ now: () => new Date(at.getTime() - made) });
    let made = 400 * 86_400_000;
    const rows = Array.from({ length: 200 }, (_, place) => {
      made -= place * 1_000_003;
      return ids.next();
    });
    const moments = rows.flatMap((row) => ([0, 1] as const).map((index) => ({ row, id: momentId(at, row, index) })));
    for (const { row, id } of moments) {
      const { first, last } = rowsOfMoment(id);
      expect([isUuid(id), millisecondOf(id), first <= row && row <= last]).toEqual([true, at.getTime(), true]);
      expect(rows.filter((one) => first <= one && one <= last)).toEqual([row]);
    }
    expect(moments.map(({ id }) => id).toSorted()).toEqual(moments.map(({ id }) => id));
    expect(new Set(moments.map(({ id }) => id)).size).toBe(400);
  });

  it('rowsOfMoment returns a range for an id of any form', () => {
    for (const id of [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      derivedId(at, 'x'),
    ])
      for (const row of Object.values(rowsOfMoment(id))) expect(isUuid(row)).toBe(true);
  });
});
