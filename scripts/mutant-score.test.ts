import { describe, expect, it } from 'vitest';
import {
  folderOf,
  isWithin,
  mutated,
  parseMutantArguments,
  percentOf,
  projectsOf,
  roomOfList,
  scoreOf,
  touchedRooms,
  type Verdict,
} from './mutant-score.ts';

const verdicts = (killed: number, survived: number, notRun = 0): Verdict[] => [
  ...Array.from({ length: killed }, (_, at) => ({ says: `k${at}`, fate: 'killed' as const })),
  ...Array.from({ length: survived }, (_, at) => ({ says: `s${at}`, fate: 'survived' as const })),
  ...Array.from({ length: notRun }, (_, at) => ({ says: `n${at}`, fate: 'not run' as const })),
];

describe('mutated', () => {
  it('replaces the one occurrence, and takes a dollar sign as it is', () => {
    expect(mutated('if (a > 1) b();', { find: 'a > 1', replace: '$&' })).toBe('if ($&) b();');
  });

  it.each([
    ['does not occur', 'a < 1', 0],
    ['occurs twice', 'a', 2],
  ])('refuses a text that %s', (_, find, times) => {
    expect(() => mutated('a > 1 && a < 3', { find, replace: '' })).toThrow(`occurs ${times} times`);
  });
});

describe('rooms', () => {
  it('are named by the folder of their list', () => {
    expect(roomOfList('packages/core/src/events/mutants.ts')).toBe('events');
    expect(roomOfList('packages/core/src/sending/settle/mutants.ts')).toBe('sending/settle');
    expect(roomOfList('packages/core/src/events/mutants.test.ts')).toBeNull();
    expect(roomOfList('packages/http/src/routes/mutants.ts')).toBeNull();
    expect(roomOfList('packages/sdk-js/src/mutants.ts')).toBe('sdk-js');
    expect(roomOfList('packages/sdk-js/src/node/mutants.ts')).toBe('sdk-js/node');
  });

  it('lie in core, or in the package that they are named after', () => {
    const rooms = ['sending/settle', 'sdk-js', 'sdk-js/node', 'sdk-jsx'];
    expect(rooms.map(folderOf)).toEqual([
      'packages/core/src/sending/settle',
      'packages/sdk-js/src',
      'packages/sdk-js/src/node',
      'packages/core/src/sdk-jsx',
    ]);
  });

  it('are touched by a path inside them, however deep, and by no other', () => {
    const rooms = ['events', 'runs', 'sending', 'sending/settle'];
    const paths = ['packages/core/src/runs/steps/wait.ts', 'packages/core/src/eventsource/x.ts', 'README.md'];
    expect(touchedRooms(paths, rooms)).toEqual(['runs']);
    expect(touchedRooms(['packages/core/src/sending/settle/plan.ts'], rooms)).toEqual(['sending', 'sending/settle']);
  });
});

describe('a room', () => {
  it('is asked for by its name, or by that of a room around it', () => {
    const asked = ['sending', 'sending/settle', 'sending/deliver', 'sendings'].filter((room) =>
      isWithin(room, 'sending'),
    );
    expect(asked).toEqual(['sending', 'sending/settle', 'sending/deliver']);
    expect(isWithin('sending', 'sending/settle')).toBe(false);
  });
});

describe('tests', () => {
  it('run on SQLite, and on PostgreSQL where one is of PostgreSQL alone', () => {
    expect(projectsOf(['packages/core/src/events/', 'packages/core/src/events/ingest.db.test.ts'])).toEqual([
      'unit',
      'contract-sqlite',
    ]);
    expect(projectsOf(['packages/core/src/a.test.ts', 'packages/core/src/b.postgres.test.ts'])).toContain(
      'contract-postgres',
    );
  });
});

describe('score', () => {
  it('counts killed among those that ran, rounded down', () => {
    expect(percentOf(verdicts(169, 30))).toBe(84);
    expect(percentOf(verdicts(17, 3, 5))).toBe(85);
    expect(percentOf(verdicts(0, 0, 5))).toBe(100);
  });

  it('names who survived and who was not run', () => {
    expect(scoreOf('events', verdicts(1, 1, 1))).toBe('events: 1 of 2 killed, 50 %\n  survived: s0\n  not run: n0');
    expect(scoreOf('events', verdicts(0, 0, 1))).toBe('events: 0 of 0 killed, nothing was run\n  not run: n0');
  });
});

describe('parseMutantArguments', () => {
  const none = {
    rooms: [],
    isChanged: false,
    base: undefined,
    minutes: Number.POSITIVE_INFINITY,
    most: undefined,
    isExact: false,
  };

  it('takes rooms, or what changed since a commit, within a time', () => {
    expect(parseMutantArguments([])).toEqual(none);
    expect(parseMutantArguments(['events', 'runs'])).toEqual({ ...none, rooms: ['events', 'runs'] });
    expect(parseMutantArguments(['--changed', '--minutes', '15'])).toEqual({ ...none, isChanged: true, minutes: 15 });
    expect(parseMutantArguments(['--changed', 'main'])).toEqual({ ...none, isChanged: true, base: 'main' });
  });

  it.each([[['--all']], [['--minutes']], [['--minutes', 'soon']], [['events', '--changed']]])('refuses %j', (args) => {
    expect(() => parseMutantArguments(args)).toThrow();
  });
});
