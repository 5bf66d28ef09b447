import { describe, expect, it } from 'vitest';
import { partsOf } from './parts.ts';

describe('the modules of messaging', () => {
  it('keep the order in which they are built', () => {
    const parts = partsOf({ name: 'a', erasers: [] }, { name: 'b', close: () => undefined });
    expect(parts.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('may not have a list that nothing collects', () => {
    const misspelt = { name: 'a', eraser: [] };
    // @ts-expect-error every list is optional, so this one would be dropped in silence
    expect(partsOf(misspelt)).toEqual([misspelt]);
  });
});
