import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../foundation/contained.ts';
import { inSequence } from './in-sequence.ts';

/** Work that ends when the test releases it. */
const given = () => {
  const begun: (readonly string[])[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const turn = inSequence<string>(async (items) => {
    begun.push([...items]);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
  });
  return { begun, ends, turn };
};

describe('inSequence', () => {
  it('items that arrive during work of their name run together; names are independent', async () => {
    const { begun, ends, turn } = given();
    const first = turn('a', ['1']);
    await nextTurn();
    const rest = [turn('a', ['2', '3']), turn('a', ['4']), turn('b', ['5'])];
    await nextTurn();
    expect(begun).toEqual([['1'], ['5']]);
    ends[0]?.resolve();
    await first;
    await nextTurn();
    expect(begun.at(-1)).toEqual(['2', '3', '4']);
    for (const end of ends) end.resolve();
    await Promise.all(rest);
    void turn('a', ['6']);
    await nextTurn();
    expect(begun.at(-1)).toEqual(['6']);
  });

  it('work continues after a failure, which rejects only the calls of its batch', async () => {
    const { begun, ends, turn } = given();
    const first = turn('a', ['1']);
    await nextTurn();
    const second = turn('a', ['2']);
    ends[0]?.reject(new Error('refused'));
    await expect(first).rejects.toThrow('refused');
    await nextTurn();
    expect(begun).toEqual([['1'], ['2']]);
    ends[1]?.resolve();
    await second;
  });
});
