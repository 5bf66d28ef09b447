import { type InScope, scopeOf } from '../../foundation/scope.ts';
import type { AddressFeedback } from '../sends/channel.ts';
import type { MessageChange } from '../sends/finalize/change.ts';
import type { MessageReaction } from '../sends/finalize/reactions.ts';
import type { ListReason } from '../sends/listed.ts';
import type { Suppressions } from './suppressions.ts';
import type { NewListEntry } from './writes.ts';

/** List reasons of provider feedback. */
const REASONS = {
  bounced: 'bounced_address',
  complained: 'complained_address',
  opted_out: 'sms_stopped',
} as const satisfies Partial<Record<AddressFeedback['kind'], ListReason>>;

const reasonOf = ({ channel, feedback }: Pick<MessageChange, 'channel' | 'feedback'>): ListReason | null => {
  const kind = feedback?.kind;
  if (channel === 'push' || kind === undefined || !Object.hasOwn(REASONS, kind)) return null;
  // Safe: the line above.
  return REASONS[kind as keyof typeof REASONS];
};

const entriesOf = (change: MessageChange): NewListEntry[] => {
  const { channel, feedback, messageId, at } = change;
  const reason = reasonOf(change);
  if (reason === null || channel === 'push' || feedback === null) return [];
  const scope: InScope = scopeOf(change);
  const sender = 'sender' in feedback ? { sender: feedback.sender } : {};
  return [{ ...scope, channel, address: feedback.address, reason, ...sender, source: 'provider', messageId, at }];
};

/** Adds addresses to their lists when a provider reports them as unusable. */
export const reportedAddresses = ({ writes }: Pick<Suppressions, 'writes'>): MessageReaction<void> => ({
  name: 'reported addresses',
  concerns: (change) => reasonOf(change) !== null,
  load: async () => undefined,
  plan: (changes) => ({ writes: writes(changes.flatMap(entriesOf)) }),
});
