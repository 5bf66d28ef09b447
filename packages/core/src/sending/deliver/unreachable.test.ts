import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../primitives/clock.ts';
import type { SendOutcome } from '../../transports/port.ts';
import { unreachableWarning } from './unreachable.ts';

describe('the warning of a provider that cannot be reached', () => {
  const given = () => {
    const clock = virtualClock('2026-03-01T10:00:00.000Z');
    const warned: unknown[] = [];
    const hear = unreachableWarning({ clock, log: { warn: (fields) => void warned.push(fields) } });
    // Safe: it is asked for the name of its transport alone.
    const connection = (name: string) => ({ transport: { name } }) as never;
    return { clock, warned, hear, connection };
  };
  const row = { scopeId: 7, channel: 'email' } as const;
  const retry = (code: string): SendOutcome => ({ result: 'retry', code, message: 'm', processed: 'no' });

  it('comes at the first call and then once a minute, with how many calls there were', () => {
    const { clock, warned, hear, connection } = given();
    const smtp = connection('smtp');
    hear(smtp, row, retry('ECONNREFUSED'));
    for (let second = 1; second <= 120; second += 1) {
      clock.advance(1_000);
      hear(smtp, row, retry('timeout'));
    }
    expect(warned).toEqual([
      { scopeId: 7, channel: 'email', provider: 'smtp', code: 'ECONNREFUSED', calls: 1 },
      { scopeId: 7, channel: 'email', provider: 'smtp', code: 'timeout', calls: 60 },
      { scopeId: 7, channel: 'email', provider: 'smtp', code: 'timeout', calls: 60 },
    ]);
  });

  it('is one of each provider', () => {
    const { warned, hear, connection } = given();
    for (const one of [connection('smtp'), connection('apns')]) hear(one, row, retry('ENOTFOUND'));
    expect(warned).toMatchObject([{ provider: 'smtp' }, { provider: 'apns' }]);
  });

  it.each([
    retry('4.7.1'),
    retry('TooManyRequests'),
    retry('ExpiredProviderToken'),
    retry('http_503'),
    { result: 'accepted', providerId: null },
    { result: 'failed', code: 'ECONNREFUSED', message: 'm' },
  ] satisfies SendOutcome[])('is silent about an answer: %o', (outcome) => {
    const { warned, hear, connection } = given();
    hear(connection('smtp'), row, outcome);
    expect(warned).toEqual([]);
  });
});
