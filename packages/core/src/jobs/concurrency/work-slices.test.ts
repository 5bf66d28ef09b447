import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../foundation/contained.ts';
import { withDeadline } from '../../foundation/deadline.ts';
import { workSlices } from './work-slices.ts';

/** A budget of 10 units per turn, and a loop of an owner that spends them; `log` records who worked in which turn. */
const world = () => {
  const log: string[] = [];
  let turn = 0;
  const spend = workSlices(10, (call) =>
    setImmediate(() => {
      turn += 1;
      call();
    }),
  );
  const loop = async (name: string, pieces: number, units: number, owner = name): Promise<void> => {
    for (let piece = 0; piece < pieces; piece += 1) {
      log.push(`${turn}${name}`);
      const rest = spend(units, owner);
      if (rest !== undefined) await rest;
    }
  };
  return { log, loop, spend };
};

describe('workSlices', () => {
  it('a loop continues while its turn has budget, and otherwise resumes in a later turn', async () => {
    const { log, loop } = world();
    await loop('a', 7, 4);
    expect(log).toEqual(['0a', '0a', '0a', '1a', '1a', '1a', '2a']);
  });

  it('several loops share the budget of a turn and resume one after another', async () => {
    const { log, loop } = world();
    await Promise.all([loop('a', 3, 10), loop('b', 3, 10), loop('c', 2, 10)]);
    expect(log).toEqual(['0a', '0b', '0c', '1a', '2b', '3c', '4a', '5b']);
  });

  it('owners resume round robin, however many loops one of them has', async () => {
    const { log, loop } = world();
    await Promise.all([loop('a1', 2, 10, 'a'), loop('a2', 2, 10, 'a'), loop('a3', 2, 10, 'a'), loop('b', 3, 10, 'b')]);
    expect(log.slice(4)).toEqual(['1a1', '2b', '3a2', '4b', '5a3']);
  });

  it('each turn of the event loop has a new budget, whoever spends it', async () => {
    const { spend } = world();
    for (let piece = 0; piece < 5; piece += 1) {
      expect(spend(9, 'a')).toBeUndefined();
      await nextTurn();
    }
  });

  it("a loop ends once its caller's deadline has passed, and no other does", async () => {
    const { loop, log } = world();
    const late = withDeadline(-1, () => loop('a', 5, 10));
    await Promise.all([expect(late).rejects.toMatchObject({ code: 'DEADLINE' }), loop('b', 2, 10)]);
    expect(log).toEqual(['0a', '0b', '2b']);
  });
});
