import { describe, expect, it } from 'vitest';
import { breathe, counter, outcomeOf, tagged } from '../../../test/support/database/contract-database.ts';
import { sampleStatements, sampleTables } from '../../../test/support/database/sample.ts';
import { StorageError } from '../errors.ts';
import { type Run, writeSetRunner } from './apply.ts';

const hot = sampleStatements(sampleTables('postgres'));
const PLAN = {
  writes: [
    tagged(hot.insertOnce, counter('new')),
    tagged(hot.insertOnce, counter('there')),
    tagged(hot.insertCounter, counter('plain')),
  ],
  wakes: ['topic'],
};
const ALL = ['contract.insert_once', 'contract.insert_counter', 'wake'];
/** One of two rows did not exist. */
const ANSWERS: Readonly<Record<string, unknown[][]>> = { 'contract.insert_once': [['new']] };

/** A server that answers a statement on demand; its errors are those of a failed transaction. */
const given = (isPipelined: boolean, refused?: string) => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let hasFailed = false;
  const run: Run = (_, id) => {
    asked.push(id);
    return new Promise((resolve, reject) => {
      answers.push(() => {
        if (id !== refused && !hasFailed) return resolve(ANSWERS[id] ?? []);
        reject(new StorageError(hasFailed ? '25P02' : '23514'));
        hasFailed = true;
      });
    });
  };
  // Safe: the connection itself is not used.
  const client = { isPipelined, query: async () => ({ rows: [] }) };
  const applied = outcomeOf(writeSetRunner(run, () => null)(client, PLAN));
  const answerAll = async (): Promise<void> => {
    for (let at = 0; at < ALL.length; at += 1) {
      await breathe();
      answers[at]?.();
    }
  };
  return { asked, answers, applied, answerAll };
};

describe('the statements of a plan', () => {
  it('the statements of a plan are sent at once, in order, on a pipelined connection', async () => {
    const { asked, applied, answerAll } = given(true);
    await breathe();
    expect(asked).toEqual(ALL);
    await answerAll();
    expect(await applied).toEqual({ value: new Set(['there']) });
  });

  it('the statements of a plan wait for each other on any other connection', async () => {
    const { asked, answers, applied, answerAll } = given(false);
    await breathe();
    expect(asked).toEqual(ALL.slice(0, 1));
    answers[0]?.();
    await breathe();
    expect(asked).toEqual(ALL.slice(0, 2));
    await answerAll();
    expect(await applied).toEqual({ value: new Set(['there']) });
  });

  it('a plan fails with the first rejected statement, after all of its statements have been answered', async () => {
    const { answers, applied, answerAll } = given(true, 'contract.insert_once');
    await breathe();
    answers[0]?.();
    await breathe();
    expect(await Promise.race([applied, 'open'])).toBe('open');
    await answerAll();
    expect(await applied).toEqual({ error: new StorageError('23514') });
  });
});
