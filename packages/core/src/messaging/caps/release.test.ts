import { describe, expect, it } from 'vitest';
import { countedChannels, rule, settingsWith } from '../../../test/support/caps/capped.ts';
import { messageChange } from '../../../test/support/sends/message.ts';
import { tablesOf } from '../../app/tables.ts';
import type { MessageChange } from '../sends/finalize/change.ts';
import { capRelease } from './release.ts';
import { capStatements } from './statements.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const device = { tokenId: null, address: 'a@example.com', role: 'to' } as const;

describe('releasing cap entries', () => {
  const settings = settingsWith(rule(1), rule(2, { channel: 'push' }));
  const reaction = capRelease({
    statements: capStatements(tablesOf('sqlite')),
    channels: countedChannels,
    loadSettings: async () => () => settings,
  });
  const refused = (more: Partial<MessageChange> = {}): MessageChange =>
    messageChange({ person: 'u:ann', status: 'failed', refused: device, ...more });
  const written = (...changes: readonly MessageChange[]): string[] =>
    reaction
      .plan(changes, () => settings, NOW)
      .writes.map(({ bulk, row }) => `${bulk.id} ${row['person']} ${row['sendId']} ${row['handovers'] ?? ''}`.trim());

  it('only rejected handovers that are not copies release entries', () => {
    expect(reaction.concerns(refused())).toBe(true);
    expect(reaction.concerns(messageChange({ status: 'failed' }))).toBe(false);
    expect(reaction.concerns(refused({ refused: { ...device, role: 'cc' } }))).toBe(false);
  });

  it('all rejections of one send to one user are subtracted together, under each rule of the channel', () => {
    expect(written(refused(), refused({ messageId: 'm2' }), refused({ person: 'u:ben' }))).toEqual([
      'caps.let_go u:ann s1 -2',
      'caps.release u:ann s1',
      'caps.let_go u:ben s1 -1',
      'caps.release u:ben s1',
    ]);
    expect(written(refused({ channel: 'push' }))).toHaveLength(4);
  });

  it('a message deferred before its call releases its entry', () => {
    expect(written(refused({ status: 'deferred', dueAt: NOW }))).toEqual([
      'caps.let_go u:ann s1 -1',
      'caps.release u:ann s1',
    ]);
  });

  it('a message that is retried releases nothing', () => {
    expect(written(refused({ status: 'queued', dueAt: NOW }))).toEqual(['caps.let_go u:ann s1 -1']);
    expect(written(refused({ status: 'queued', dueAt: NOW }), refused({ messageId: 'm2' }))).toEqual([
      'caps.let_go u:ann s1 -2',
      'caps.release u:ann s1',
    ]);
  });
});
