import { existsSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { INVARIANTS } from '../packages/core/test/invariants/mutations.ts';

describe('invariants', () => {
  it('there are at least 55 invariants with distinct sentences', () => {
    expect(INVARIANTS.length).toBeGreaterThanOrEqual(55);
    expect(new Set(INVARIANTS.map(({ says }) => says)).size).toBe(INVARIANTS.length);
    expect(new Set(INVARIANTS.map(({ path, find, replace }) => JSON.stringify([path, find, replace]))).size).toBe(
      INVARIANTS.length,
    );
  });

  it('invariants are sentences', () => {
    for (const { says } of INVARIANTS) expect(says).toMatch(/^[A-Z].*\.$/);
  });

  it.each(INVARIANTS)('the change that breaks an invariant still applies: $says', ({ path, find, replace, tests }) => {
    const parts = readFileSync(path, 'utf8').split(find);
    expect(parts).toHaveLength(2);
    expect(replace).not.toBe(find);
    expect(() => transformSync(parts.join(replace), { loader: 'ts' })).not.toThrow();
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  });
});
