import { describe, expect, it } from 'vitest';
import { collect, modulesOf } from './module.ts';

describe('pipelines', () => {
  it('a pipeline has the entries of all modules that contribute to it', () => {
    const maintenance = (name: string) => ({ name, run: async () => false });
    const modules = [{ maintenance: [maintenance('a')] }, {}, { maintenance: [maintenance('b'), maintenance('c')] }];
    expect(collect(modules, 'maintenance').map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

describe('lists of modules', () => {
  it('a part that no module type has is rejected, because it would be dropped silently', () => {
    const sound = { name: 'sound', erasers: [], api: {} };
    const misspelt = { name: 'misspelt', eraser: [] };
    expect(modulesOf(sound)).toEqual([sound]);
    // @ts-expect-error: the list is named erasers
    expect(modulesOf(sound, misspelt)).toHaveLength(2);
    // @ts-expect-error: the same in a list that is spread
    expect(modulesOf(...[sound, misspelt])).toHaveLength(2);
  });
});
