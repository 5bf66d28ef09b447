import { describe, expect, it } from 'vitest';
import { partsOf } from './parts.ts';

describe('partsOf', () => {
  it('partsOf keeps the build order', () => {
    const parts = partsOf({ name: 'a', erasers: [] }, { name: 'b', close: () => undefined });
    expect(parts.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('a contribution that nothing collects is a type error', () => {
    const misspelt = { name: 'a', eraser: [] };
    // @ts-expect-error every list is optional, so this one would be dropped in silence
    expect(partsOf(misspelt)).toEqual([misspelt]);
  });
});
