import { describe, expect, it } from 'vitest';
import { sampleTables } from '../../../test/support/database/sample.ts';
import { write } from '../commit/write-set.ts';
import { bulkUpdate } from '../statements/bulk.ts';
import { renderWrite } from '../statements/render.ts';
import { fusedParams, groupSimilar, singleParams } from './fused.ts';

const { counters } = sampleTables('sqlite');
const AT = new Date('2026-03-01T00:00:00.000Z');

const update = (together: { by: 'id' | 'value'; each?: 'label' | 'version' }) =>
  bulkUpdate('contract.together', counters, {
    where: ['id', 'version'],
    set: { value: 'value', label: 'value', seenAt: 'value' },
    isGuarded: true,
    together,
    rank: 0,
  });

const formOf = (together: { by: 'id'; each?: 'label' }) => {
  const bulk = update(together);
  const rendered = renderWrite('sqlite', bulk);
  if (!rendered.fused) throw new Error('there is no such form');
  const { fused: form, columns } = rendered;
  const groups = (...rows: readonly { id: string; value: number; label: string | null }[]) =>
    groupSimilar(
      columns,
      form,
      rows.map((row) => write(bulk, { ...row, version: 1, seenAt: new Date(AT) })),
    );
  return { form, groups };
};

describe('similar rows', () => {
  it('similar rows differ in their key only', () => {
    const { form, groups } = formOf({ by: 'id' });
    const [first, second, third, ...others] = groups(
      { id: 'a', value: 1, label: 'x' },
      { id: 'b', value: 2, label: 'x' },
      { id: 'c', value: 1, label: 'x' },
      { id: 'd', value: 1, label: 'y' },
    );
    expect(others).toEqual([]);
    expect([first, second, third].map((group) => group?.keyValues)).toEqual([['a', 'c'], ['b'], ['d']]);
    if (!first) throw new Error('there are none');
    expect(fusedParams(form, first)).toEqual([1, 'x', AT.getTime(), '["a","c"]', 1]);
    expect(singleParams(form, first)).toEqual([
      [1, 'x', AT.getTime(), 'a', 1],
      [1, 'x', AT.getTime(), 'c', 1],
    ]);
  });

  it('similar rows may also differ in one value of their own', () => {
    const { form, groups } = formOf({ by: 'id', each: 'label' });
    const [only, ...others] = groups({ id: 'a', value: 1, label: 'x' }, { id: 'b"', value: 1, label: null });
    expect(others).toEqual([]);
    if (!only) throw new Error('there are none');
    expect(fusedParams(form, only)).toEqual(['{"a":"x","b\\"":null}', 1, 1, AT.getTime()]);
    expect(singleParams(form, only)).toEqual([
      [1, 'x', AT.getTime(), 'a', 1],
      [1, null, AT.getTime(), 'b"', 1],
    ]);
  });

  it('fusing rejects a column that is not compared, or that is not set to a value', () => {
    expect(() => renderWrite('sqlite', update({ by: 'value' }))).toThrow(TypeError);
    expect(() => renderWrite('sqlite', update({ by: 'id', each: 'version' }))).toThrow(TypeError);
  });
});
