import { existsSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { INVARIANTS } from '../packages/core/test/invariants/mutations.ts';

describe('the invariants', () => {
  it('are at least 55, and no two say the same', () => {
    expect(INVARIANTS.length).toBeGreaterThanOrEqual(55);
    expect(new Set(INVARIANTS.map(({ says }) => says)).size).toBe(INVARIANTS.length);
    expect(new Set(INVARIANTS.map(({ path, find, replace }) => JSON.stringify([path, find, replace]))).size).toBe(
      INVARIANTS.length,
    );
  });

  it('are sentences', () => {
    for (const { says } of INVARIANTS) expect(says).toMatch(/^[A-Z].*\.$/);
  });

  it.each(INVARIANTS)('can be broken where they are kept: $says', ({ path, find, replace, tests }) => {
    const parts = readFileSync(path, 'utf8').split(find);
    expect(parts).toHaveLength(2);
    expect(replace).not.toBe(find);
    expect(() => transformSync(parts.join(replace), { loader: 'ts' })).not.toThrow();
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  });
});
