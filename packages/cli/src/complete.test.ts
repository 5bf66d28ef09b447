import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { emptyCli } from '../test/support/empty.ts';
import { EVENT_NAMES } from './names.ts';

const complete = async (...words: string[]): Promise<string[]> => {
  const { run, io } = emptyCli();
  expect(await run('__complete', '--', ...words)).toBe(0);
  io.remove();
  return io.out().split('\n').slice(0, -1);
};

describe('completion', () => {
  it('completion offers commands, and those of a group', async () => {
    expect(await complete('wo')).toEqual(['worker', 'workflows']);
    expect(await complete('bundle', '')).toEqual(['diff', 'export', 'import', 'validate']);
    expect(await complete('providers', 'add', 's')).toEqual(['sendgrid', 'ses', 'smtp']);
    expect(await complete('__')).toEqual([]);
  });

  it('completion offers all 34 event names for options that take one', async () => {
    const names = EVENT_NAMES.toSorted();
    expect(await complete('webhooks', 'create', 'https://x.example', '--events', '')).toEqual(names);
    expect(await complete('webhooks', 'listen', '--events', '')).toEqual(names);
    expect(await complete('webhooks', 'deliveries', 'x', '--event', '')).toEqual(names);
    expect(await complete('events', 'tail', '--type', '')).toEqual(names);
    expect(await complete('analytics', 'events', '--type', '')).toEqual(names);
    expect(await complete('analytics', 'funnel', 'push.sent', '')).toEqual(names);
    expect(await complete('webhooks', 'create', '--events', 'sms.inbound,sms.f')).toEqual(['sms.inbound,sms.failed']);
    expect(await complete('workflows', 'simulate', 'x', '--event', '')).toEqual([]);
  });

  it('completion offers options of the command and of the groups around it, and their values', async () => {
    expect(await complete('sends', 'list', '--st')).toEqual(['--status']);
    expect(await complete('sends', 'list', '--status', 's')).toEqual(['sending', 'sent', 'suppressed']);
    expect(await complete('sends', 'list', '--env=')).toEqual(['--env=prod', '--env=test']);
    expect(await complete('sends', 'list', '--env', '=', 'p')).toEqual(['prod']);
    expect(await complete('sends', 'list', '--env', '=')).toEqual(['prod', 'test']);
    expect(await complete('--env', 'test', 'se')).toEqual(['secrets', 'send', 'sends', 'serve', 'settings']);
    expect(await complete('settings', 'get', '')).toEqual(['email', 'push', 'sms']);
    expect(await complete('sends', 'show', '')).toEqual([]);
    expect(await complete('sends', 'list', '--nothing', 'x')).toEqual([]);
  });

  it('the bash script passes the words to the program and offers its candidates', async () => {
    const { run, io } = emptyCli();
    expect(await run('completion', 'bash')).toBe(0);
    const script = `beckon() { printf '%s|' "$@"; printf '\\n%s\\n' 'two words'; }
${io.out()}
COMP_WORDS=(beckon sends list --env ''); COMP_CWORD=4; _beckon
printf '[%s]' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toBe('[__complete|--|sends|list|--env||][two words]');
    io.remove();
  });

  it.each(['bash', 'zsh', 'fish', 'pwsh'])('a script for %s is printed', async (shell) => {
    const { run, io } = emptyCli();
    expect(await run('completion', shell)).toBe(0);
    expect(io.out()).toContain('beckon __complete --');
    io.remove();
  });

  it('a shell without a script exits 2', async () => {
    const { run, io } = emptyCli();
    expect(await run('completion', 'tcsh')).toBe(2);
    io.remove();
  });
});
