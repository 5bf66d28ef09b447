import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { createLogger } from './logger.ts';

describe('createLogger', () => {
  it('the JSON log writes one line per entry to stderr', async () => {
    const io = fakeIo();
    const log = await createLogger(io, { logFormat: 'json', logLevel: 'info' });
    log.info({ orgId: 'o1' }, 'started');
    log.error({ code: 'X\u001b[31m\u009b' }, 'failed');
    const lines = io.err().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', orgId: 'o1', msg: 'started' },
      { level: 'error', msg: 'failed' },
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(io.out()).toBe('');
    io.remove();
  });

  it('the pretty log writes short lines', async () => {
    const io = fakeIo();
    const log = await createLogger(io, { logFormat: 'pretty', logLevel: 'info' });
    log.warn({ orgId: 'o1', durationMs: 12, name: 'two words\u001b[31m' }, 'slow\u001b[2J');
    expect(io.err()).toBe('08:00:00.000 warn  slow orgId=o1 durationMs=12 name="two words\\u001b[31m"\n');
    io.remove();
  });

  it.each(['json', 'pretty'] as const)('the %s log omits entries below its level', async (logFormat) => {
    const io = fakeIo();
    const log = await createLogger(io, { logFormat, logLevel: 'warn' });
    log.info({}, 'unsaid');
    log.warn({}, 'said');
    expect(io.err()).toContain('said');
    expect(io.err()).not.toContain('unsaid');
    io.remove();
  });

  it('the silent log writes nothing', async () => {
    const io = fakeIo();
    for (const logFormat of ['json', 'pretty'] as const) {
      (await createLogger(io, { logFormat, logLevel: 'silent' })).error({}, 'unsaid');
    }
    expect(io.err()).toBe('');
    io.remove();
  });
});
