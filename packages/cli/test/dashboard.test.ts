import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, place } from './beckon.ts';
import { PROGRAM, PROGRAM_ENV } from './program.ts';

/** Timeout for a program that hangs. */
const HANGS_AFTER_MS = 540_000;
const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

// skip: no pseudo-terminal without `script` of util-linux.
describe.skipIf(!hasTerminal)('the dashboard in a terminal', () => {
  let at: Place;
  beforeAll(async () => {
    at = place();
    expect((await at.run(['init'])).code).toBe(0);
  });
  afterAll(() => at.remove());

  /** Starts the dashboard in a shell on a pseudo-terminal. */
  const open = (words: string) => {
    const command = `${words}; '${process.execPath}' '${PROGRAM}' dashboard --refresh 200ms`;
    const env = { PATH: process.env['PATH'], TERM: 'xterm-256color', ...PROGRAM_ENV };
    const child: ChildProcessWithoutNullStreams = spawn('script', ['-qec', command, '/dev/null'], { cwd: at.cwd, env });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const untilShown = async (pattern: RegExp): Promise<void> => {
      for (const end = Date.now() + HANGS_AFTER_MS; !pattern.test(out); await later(20))
        if (Date.now() > end) throw new Error(`it said something else: ${out}`);
      out = '';
    };
    return { child, ended, untilShown, output: () => out };
  };

  it('the dashboard uses the alternate screen, reacts to keys, and restores the terminal', async () => {
    const { child, ended, untilShown, output } = open('stty rows 60 cols 100');
    try {
      await untilShown(/throughput[\s\S]*messages {2}0 due/);
      child.stdin.write('?');
      await untilShown(/show or hide these keys[\s\S]*replay the selected delivery/);
      child.stdin.write('?');
      await untilShown(/throughput[\s\S]*messages {2}0 due/);
      child.stdin.write('p');
      await untilShown(/paused/);
      child.stdin.write('/');
      await later(50);
      child.stdin.write('zzz');
      await untilShown(/\/zzz_/);
      child.stdin.write('\r');
      await later(50);
      child.stdin.write('q');
      expect(await ended).toBe(0);
      expect(output()).toContain('\u001b[?1049l');
    } finally {
      child.kill();
    }
  });

  it('the dashboard shows one panel in a small terminal and all panels in a large one', async () => {
    const grows = '{ while [ ! -e grow ]; do sleep 0.1; done; stty -F /dev/tty rows 70 cols 120; } &';
    const { child, ended, untilShown } = open(`stty rows 20 cols 40; ${grows} true`);
    try {
      await untilShown(/\[throughput\] queues providers/);
      child.stdin.write('\t');
      await untilShown(/\[queues\][\s\S]*messages {2}0 due/);
      writeFileSync(join(at.cwd, 'grow'), '');
      await untilShown(/ limits [\s\S]*r replay/);
      child.stdin.write('q');
      expect(await ended).toBe(0);
    } finally {
      child.kill();
    }
  });
});
