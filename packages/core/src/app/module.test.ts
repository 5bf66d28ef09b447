import { describe, expect, it } from 'vitest';
import { collect, modulesOf } from './module.ts';

describe('a pipeline', () => {
  it('has the entries of all modules that contribute any', () => {
    const upkeep = (name: string) => ({ name, run: async () => false });
    const modules = [{ maintenance: [upkeep('a')] }, {}, { maintenance: [upkeep('b'), upkeep('c')] }];
    expect(collect(modules, 'maintenance').map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

describe('a list of modules', () => {
  it('refuses a part that no module has, which would be dropped in silence', () => {
    const sound = { name: 'sound', erasers: [], api: {} };
    const misspelt = { name: 'misspelt', eraser: [] };
    expect(modulesOf(sound)).toEqual([sound]);
    // @ts-expect-error: the list is named erasers
    expect(modulesOf(sound, misspelt)).toHaveLength(2);
    // @ts-expect-error: the same in a list that is spread
    expect(modulesOf(...[sound, misspelt])).toHaveLength(2);
  });
});
