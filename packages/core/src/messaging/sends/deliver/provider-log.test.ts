import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { providerLog } from './provider-log.ts';

describe('the provider problem log', () => {
  const setUp = () => {
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    const warned: unknown[] = [];
    const { answered, held } = providerLog({
      clock,
      log: { warn: (fields, message) => void warned.push({ ...fields, message }) },
    });
    // Safe: only the transport's name is read.
    const connection = (name: string) => ({ transport: { name } }) as never;
    return { clock, warned, hear: answered, held, connection };
  };
  const row = { scopeId: 7, channel: 'email' } as const;
  const retry = (code: string): SendOutcome => ({ result: 'retry', code, message: 'm', processed: 'no' });

  it('the first failed call of a reason is logged at once, then once a minute with the number of calls', () => {
    const { clock, warned, hear, connection } = setUp();
    const smtp = connection('smtp');
    for (let second = 0; second <= 120; second += 1) {
      hear(smtp, row, retry('timeout'));
      clock.advance(1_000);
    }
    hear(smtp, row, retry('ECONNREFUSED'));
    const line = { scopeId: 7, channel: 'email', provider: 'smtp', message: expect.stringContaining('reached') };
    expect(warned).toEqual([
      { ...line, code: 'timeout', calls: 1 },
      { ...line, code: 'timeout', calls: 60 },
      { ...line, code: 'timeout', calls: 60 },
      { ...line, code: 'ECONNREFUSED', calls: 1 },
    ]);
  });

  it('each provider has its own lines, for at most 21 reasons', () => {
    const { warned, hear, connection } = setUp();
    for (const one of [connection('smtp'), connection('apns')]) hear(one, row, retry('ENOTFOUND'));
    expect(warned).toMatchObject([{ provider: 'smtp' }, { provider: 'apns' }]);
    const strange = connection('ses');
    for (let at = 0; at < 1_000; at += 1) hear(strange, row, { result: 'failed', code: `code-${at}`, message: 'm' });
    expect(warned).toHaveLength(2 + 21);
  });

  it.each([
    [retry('ECONNREFUSED'), 'a provider cannot be reached; its messages are tried again'],
    [retry('http_503'), 'a provider takes no messages for now; they are tried again'],
    [
      { result: 'credential', code: 'auth', message: 'ann@example.com' },
      /refuses its credentials; its messages are held/,
    ],
    [{ result: 'failed', code: 'policy', message: 'ann@example.com' }, 'a provider rejects messages'],
  ] satisfies [SendOutcome, string | RegExp][])(
    "the log has the provider and the code of %o and none of the provider's text",
    (outcome, message) => {
      const { warned, hear, connection } = setUp();
      hear(connection('smtp'), row, outcome);
      const code = 'code' in outcome ? outcome.code : '';
      expect(warned).toEqual([
        { scopeId: 7, channel: 'email', provider: 'smtp', code, calls: 1, message: expect.stringMatching(message) },
      ]);
      expect(JSON.stringify(warned)).not.toContain('ann@');
    },
  );

  it.each([
    { result: 'accepted', providerId: null },
    { result: 'failed', code: '5.1.1', message: 'm', address: 'bounced' },
  ] satisfies SendOutcome[])('a normal answer is not logged: %o', (outcome) => {
    const { warned, hear, connection } = setUp();
    hear(connection('smtp'), row, outcome);
    expect(warned).toEqual([]);
  });

  it('held messages are logged with their number and end time, once a minute', () => {
    const { clock, warned, held, connection } = setUp();
    const [smtp, until] = [connection('smtp'), new Date('2026-03-01T10:01:00.000Z')];
    for (const count of [3, 0, 4]) held(smtp, row, count, until);
    clock.advance(60_000);
    held(smtp, row, 1, until);
    expect(warned).toMatchObject([
      { messages: 3, heldUntil: until, message: 'messages are held until their provider takes them' },
      { messages: 5 },
    ]);
  });
});
