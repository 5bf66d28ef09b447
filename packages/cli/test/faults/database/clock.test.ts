import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { unevenRuns } from './apply-fault.ts';
import { countingWorkflow, runFault, serveOn } from './stand.ts';

/** Paths of libfaketime in Debian, by architecture. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
const STAY_MS = 3_000;

describe('a clock that is moved by hours', () => {
  it('moving the clock by hours, forward and back, fails no request and loses or repeats nothing', async (context) => {
    if (LIBRARY === undefined) {
      console.log('fault database clock sqlite: skipped: faketime is not installed');
      // skip: a system package that `.ci/run` installs.
      return context.skip();
    }
    let file = '';
    const folder = (cwd: string): string => {
      file = join(cwd, 'offset');
      return cwd;
    };
    const deployment = await deploy('sqlite', [countingWorkflow], { folder });
    const setClock = (offset: string): void => writeFileSync(file, `${offset}\n`);
    try {
      setClock('+0');
      const stand = await serveOn(deployment, {
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        // Timers use the monotonic clock, which does not change with the system time.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      });
      const forward = await runFault(stand, 'clock +3 h', async () => {
        setClock('+3h');
        await sleep(STAY_MS);
      });
      const back = await runFault(stand, 'clock -3 h', async () => {
        setClock('+0');
        await sleep(STAY_MS);
      });
      // Work scheduled within the repeated hours waits until its time comes again.
      setClock('+4h');
      await untilDrained(deployment, stand.server);
      expect(await unevenRuns(deployment)).toEqual([]);
      for (const { codes } of [forward, back]) expect(Object.keys(codes)).toEqual(['200']);
      expect(await stand.server.stop()).toBe(0);
      expect(await deployment.damage()).toEqual([]);
    } finally {
      await deployment.remove();
    }
  });
});
