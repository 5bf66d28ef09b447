import { describe, expect, it } from 'vitest';
import { countedChannels, rule, settingsWith } from '../../../test/support/caps/capped.ts';
import { readyMessage } from '../../../test/support/sends/message.ts';
import { frequencyCap } from '../settings/schema.ts';
import { byAddress, countedFor, rulesFor, rulesOf } from './rules.ts';

const rulesIn = (...rules: readonly ReturnType<typeof rule>[]) => rulesOf(settingsWith(...rules).frequencyCap);

describe('frequency cap rules', () => {
  it('rules with the same channel, class and window are one rule, with the lowest maximum', () => {
    const [day] = rulesIn(rule(3));
    expect(rulesIn(rule(9, { channel: 'sms' }), rule(5, { per: { n: 24, unit: 'hour' } })).at(-1)?.id).toBe(day?.id);
    const others = [rule(3, { channel: 'sms' }), rule(3, { class: 'all' }), rule(3, { per: { n: 1, unit: 'week' } })];
    expect(new Set(rulesIn(rule(3), ...others).map(({ id }) => id)).size).toBe(4);
    expect(rulesIn(rule(5), rule(2), rule(3)).map(({ max }) => max)).toEqual([2]);
    expect(day?.lastsMs).toBe(86_400_000);
  });

  it('no rules apply if caps are off or unset, or if the send was deleted', () => {
    const { settings } = readyMessage();
    expect(rulesOf(settings.frequencyCap)).toEqual([]);
    expect(rulesOf(frequencyCap.parse({ enabled: false, rules: [rule(1)] }))).toEqual([]);
    expect(rulesFor(readyMessage({}, { settings: settingsWith(rule(1)), send: null }))).toEqual([]);
  });

  it.each([
    ['all', 'marketing', 'marketing', true],
    ['email', 'marketing', 'marketing', true],
    ['push', 'marketing', 'marketing', false],
    ['all', 'marketing', 'transactional', false],
    ['all', 'transactional', 'transactional', true],
    ['all', 'all', 'transactional', true],
  ] as const)('a rule for channel %s and class %s applies to a %s email: %s', (channel, kind, sent, concerns) => {
    const send = { content: {}, variables: {}, class: sent, category: null, abTestId: null, step: null };
    const message = readyMessage(
      { channel: 'email' },
      { settings: settingsWith(rule(1, { channel, class: kind })), send },
    );
    expect(rulesFor(message)).toHaveLength(concerns ? 1 : 0);
  });

  it("a message counts for its user, else its device, else its address; a copy for the original's recipient", () => {
    const of = (row: Parameters<typeof readyMessage>[0], content: object | null = {}) =>
      countedFor(
        readyMessage({ address: 'a@example.com', ...row }).row,
        content as Record<string, unknown>,
        countedChannels,
      );
    expect(of({ person: 'u:ann', tokenId: 't1' })).toBe('u:ann');
    expect(of({ person: null, tokenId: 't1', channel: 'push' })).toBe('t:t1');
    expect(of({ person: null, address: 'A@Example.com' })).toBe(byAddress('a@example.com'));
    expect(of({ person: null, address: 'A', channel: 'push' })).toBe(byAddress('A'));
    expect(of({ person: null, address: null })).toBeNull();
    const addressed = { addressed: { to: { email: 'To@example.com', name: null }, cc: [] } };
    expect(of({ role: 'cc' }, addressed)).toBe(byAddress('to@example.com'));
    expect(of({ role: 'bcc' }, {})).toBeNull();
    expect(of({ role: 'cc' }, null)).toBeNull();
    expect(of({ role: 'cc', channel: 'push' }, addressed)).toBeNull();
  });
});
