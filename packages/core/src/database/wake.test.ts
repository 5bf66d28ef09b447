import { expect, it } from 'vitest';
import { deadlineMs, withDeadline } from '../foundation/deadline.ts';
import { localWake } from './wake.ts';

it('a woken listener does not inherit the deadline of the signaller', async () => {
  const wake = localWake();
  const heard: [string, number][] = [];
  const stop = wake.subscribe((topic) => heard.push([topic, deadlineMs()]));
  await withDeadline(10, async () => wake.signal(['runs', 'sends']));
  stop();
  wake.signal(['runs']);
  expect(heard).toEqual([
    ['runs', Number.POSITIVE_INFINITY],
    ['sends', Number.POSITIVE_INFINITY],
  ]);
});
