import { describe, expect, it } from 'vitest';
import { closeAll, inOrder } from './modules.ts';

const entry = (name: string): { readonly name: string } => ({ name });

describe('inOrder', () => {
  it('a pipeline has its entries in the declared order, whatever the order of the modules', () => {
    expect(inOrder(['a', 'b', 'c'], [entry('c'), entry('a')])).toEqual([entry('a'), entry('c')]);
  });

  it('a pipeline rejects an entry that the declared order lacks', () => {
    expect(() => inOrder(['a'], [entry('a'), entry('b')])).toThrow('lacks b');
  });

  it('a pipeline rejects two entries with one name', () => {
    expect(() => inOrder(['a'], [entry('a'), entry('a')])).toThrow('one name');
  });
});

describe('closeAll', () => {
  it('closeAll closes each module after all that were built later', async () => {
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

  it('closeAll closes the other modules if one throws, and throws its error', async () => {
    const closed: string[] = [];
    const broken = { name: 'broken', close: () => Promise.reject(new Error('cannot close')) };
    const closing = closeAll([{ name: 'first', close: () => void closed.push('first') }, broken]);
    await expect(closing).rejects.toMatchObject({ errors: [new Error('cannot close')] });
    expect(closed).toEqual(['first']);
  });
});
