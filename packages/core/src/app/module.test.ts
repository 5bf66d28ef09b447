import { describe, expect, it } from 'vitest';
import { collect } from './module.ts';

describe('a pipeline', () => {
  it('has the entries of all modules that contribute any', () => {
    const upkeep = (name: string) => ({ name, run: async () => false });
    const modules = [{ maintenance: [upkeep('a')] }, {}, { maintenance: [upkeep('b'), upkeep('c')] }];
    expect(collect(modules, 'maintenance').map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});
