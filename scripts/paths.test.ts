import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CoveredScript, countCovered, countFrames, QUEUES, tableOf } from './paths.ts';

const core = (path: string): string => `file:///repository/packages/core/src/${path}`;
const script = (url: string, ...functions: readonly (readonly [name: string, count: number, at?: number])[]) => ({
  url,
  functions: functions.map(([functionName, count, startOffset = 10]) => ({
    functionName,
    ranges: [{ startOffset, count }],
  })),
});
const counted = (...scripts: readonly CoveredScript[]) => countCovered(scripts);

describe('countCovered', () => {
  it('a production function that ran counts once, however often it ran', () => {
    const scripts = [script(core('a.ts'), ['one', 1], ['two', 9], ['three', 0]), script(core('b.ts'), ['four', 1])];
    expect(counted(...scripts)).toEqual({ files: 2, functions: 3, queues: [] });
  });

  it('two functions with one name count as two', () => {
    expect(counted(script(core('a.ts'), ['', 1, 10], ['', 1, 20]))).toMatchObject({ files: 1, functions: 2 });
  });

  it('the top-level code of modules does not count', () => {
    expect(counted(script(core('a.ts'), ['', 1, 0]))).toMatchObject({ files: 0, functions: 0 });
  });

  it('tests, test support, dependencies and scripts do not count', () => {
    const others = [
      'file:///repository/packages/core/test/support/a.ts',
      'file:///repository/packages/core/src/delivery/transports/testing/a.ts',
      'file:///repository/node_modules/lru-cache/index.js',
      'file:///repository/scripts/paths.ts',
      'node:internal/timers',
    ];
    expect(counted(...others.map((url) => script(url, ['one', 1])))).toMatchObject({ files: 0, functions: 0 });
  });

  it('a file counts once if V8 reports it as several scripts', () => {
    expect(counted(script(core('a.ts'), ['one', 1]), script(core('a.ts'), ['two', 1]))).toMatchObject({ files: 1 });
  });

  it('an in-memory queue is named by the function that takes its items', () => {
    const [queue = { name: '', file: '', called: '' }] = QUEUES;
    expect(counted(script(core(queue.file), [queue.called, 1])).queues).toEqual([queue.name]);
    expect(counted(script(core(queue.file), [queue.called, 0], ['other', 1])).queues).toEqual([]);
    expect(counted(script(core('other.ts'), [queue.called, 1])).queues).toEqual([]);
  });

  it('a job queue is named by the folder whose jobs were processed', () => {
    const scripts = [script(core('automation/runs/dispatch.ts'), ['process', 1])];
    expect(counted(...scripts).queues).toEqual(['jobs of automation/runs']);
  });
});

describe('QUEUES', () => {
  it.each(QUEUES)('$called of $file exists', ({ file, called }) => {
    const text = readFileSync(new URL(`../packages/core/src/${file}`, import.meta.url), 'utf8');
    expect(text).toMatch(new RegExp(`\\b${called}(: | = |\\()`));
  });
});

describe('countFrames', () => {
  it('frames of production code count, those of awaiting functions too', () => {
    const stack = `Error
    at look (file:///repository/scripts/paths.ts:1:1)
    at Map.get (node:internal/map:1:1)
    at find (${core('a.ts')}:3:1)
    at async serve (file:///repository/packages/http/src/handler.ts:9:2)
    at async file:///repository/packages/core/test/support/a.ts:9:2`;
    expect(countFrames(stack)).toBe(2);
  });
});

describe('tableOf', () => {
  it('each path has a row, with the names of its queues after their number', () => {
    const figures = { files: 2, functions: 30, frames: 4, turns: 1, queues: ['batcher', 'commit queue'] };
    expect(tableOf([['POST /events', figures]]).split('\n')).toEqual([
      '| path         | files | functions | frames | turns | queues                   |',
      '| ------------ | ----- | --------- | ------ | ----- | ------------------------ |',
      '| POST /events | 2     | 30        | 4      | 1     | 2: batcher, commit queue |',
    ]);
  });
});
