import { expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { placeholderCounter } from './placeholders.ts';

const start = '2026-03-01T10:00:00.000Z';

it('all placeholder user ids are counted, and logged at most once a minute', () => {
  const clock = virtualClock(start);
  const counted: unknown[] = [];
  const lines: unknown[] = [];
  const silent = () => undefined;
  const count = placeholderCounter({
    clock,
    meter: { count: (...call) => counted.push(call), time: silent },
    log: { info: silent, error: silent, warn: (fields) => lines.push(fields) },
  });
  count({ scopeId: 1 }, 'events', 3);
  expect(lines).toEqual([{ scopeId: 1, bySource: { events: 3 } }]);
  clock.advance(59_999);
  count({ scopeId: 2 }, 'events', 1);
  count({ scopeId: 2 }, 'tokens', 1);
  count({ scopeId: 2 }, 'tokens', 0);
  expect(lines).toHaveLength(1);
  clock.advance(1);
  count({ scopeId: 3 }, 'tokens', 1);
  expect(lines.slice(1)).toEqual([{ scopeId: 3, bySource: { events: 1, tokens: 2 } }]);
  clock.set('2020-01-01');
  count({ scopeId: 4 }, 'identify', 1);
  expect(lines.slice(2)).toEqual([{ scopeId: 4, bySource: { identify: 1 } }]);
  expect(counted).toEqual([
    ['placeholders', 3, { source: 'events' }],
    ['placeholders', 1, { source: 'events' }],
    ['placeholders', 1, { source: 'tokens' }],
    ['placeholders', 1, { source: 'tokens' }],
    ['placeholders', 1, { source: 'identify' }],
  ]);
});
