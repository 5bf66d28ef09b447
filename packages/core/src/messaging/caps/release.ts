import { write } from '../../database/commit/write-set.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { hasEnded, type MessageChange } from '../sends/finalize/change.ts';
import type { MessageReaction } from '../sends/finalize/reactions.ts';
import type { LoadSettings, SettingsOf } from '../settings/reader.ts';
import { type Slot, slotKey } from './assign.ts';
import { type CountedChannels, countedFor, rulesOfChannel } from './rules.ts';
import type { CapStatements } from './statements.ts';

type Refusals = { readonly slot: Slot; count: number; isEnd: boolean };

/**
 * Releases cap entries. A handover that the provider rejected is subtracted from its entry. If the message ends by it
 * and no other handover of the send to this user is left, the entry is deleted. A handover with an unknown outcome, or
 * in flight when its worker died, keeps the entry.
 */
export const capRelease = ({
  statements,
  channels,
  loadSettings,
}: {
  readonly statements: CapStatements;
  readonly channels: CountedChannels;
  readonly loadSettings: LoadSettings;
}): MessageReaction<SettingsOf> => {
  const slotsOf = (change: MessageChange, settingsOf: SettingsOf): Slot[] => {
    const { refused, channel, person, sendId } = change;
    const cappedPerson = refused && countedFor({ ...refused, channel, person }, null, channels);
    if (!cappedPerson) return [];
    return rulesOfChannel(settingsOf(change).frequencyCap, channel).map((rule) => ({
      ...scopeOf(change),
      person: cappedPerson,
      rule,
      sendId,
    }));
  };

  return {
    name: 'frequency caps',
    concerns: ({ refused }) => refused?.role === 'to',
    load: (changes) => loadSettings(changes),
    plan: (changes, settingsOf) => {
      const refusals = new Map<string, Refusals>();
      for (const change of changes)
        for (const slot of slotsOf(change, settingsOf)) {
          const key = slotKey(slot);
          const one = refusals.get(key) ?? { slot, count: 0, isEnd: false };
          one.count += 1;
          // A message deferred before its call reserves again when it goes.
          one.isEnd ||= hasEnded(change.status) || change.status === 'deferred';
          refusals.set(key, one);
        }
      return {
        writes: [...refusals.values()].flatMap(({ slot, count, isEnd }) => {
          const entryKey = { ...scopeOf(slot), person: slot.person, rule: slot.rule.id, sendId: slot.sendId };
          return [
            write(statements.giveBack, { ...entryKey, handovers: -count }),
            ...(isEnd ? [write(statements.deleteEmpty, entryKey)] : []),
          ];
        }),
      };
    },
  };
};
