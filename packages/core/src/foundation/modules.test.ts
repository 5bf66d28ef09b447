import { describe, expect, it } from 'vitest';
import { closeAll, inOrder } from './modules.ts';

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
