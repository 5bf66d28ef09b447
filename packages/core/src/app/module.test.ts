import { describe, expect, it } from 'vitest';
import { closeAll, collect, inOrder, modulesOf } from './module.ts';

const entry = (name: string): { readonly name: string } => ({ name });

describe('a pipeline', () => {
  it('has its entries in the declared order, whatever the order of the modules', () => {
    expect(inOrder(['a', 'b', 'c'], [entry('c'), entry('a')])).toEqual([entry('a'), entry('c')]);
  });

  it('refuses an entry that the declared order does not name', () => {
    expect(() => inOrder(['a'], [entry('a'), entry('b')])).toThrow('lacks b');
  });

  it('refuses two entries of one name', () => {
    expect(() => inOrder(['a'], [entry('a'), entry('a')])).toThrow('one name');
  });

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

describe('closing modules', () => {
  it('closes each after all that were built later', async () => {
    const closed: string[] = [];
    const module = (name: string) => ({
      name,
      close: async (): Promise<void> => {
        await Promise.resolve();
        closed.push(name);
      },
    });
    await closeAll([module('storage'), { name: 'nothing to close' }, module('engine')]);
    expect(closed).toEqual(['engine', 'storage']);
  });

  it('closes the others when one throws, and says what was thrown', async () => {
    const closed: string[] = [];
    const broken = { name: 'broken', close: () => Promise.reject(new Error('cannot close')) };
    const closing = closeAll([{ name: 'first', close: () => void closed.push('first') }, broken]);
    await expect(closing).rejects.toMatchObject({ errors: [new Error('cannot close')] });
    expect(closed).toEqual(['first']);
  });
});
