import { unusableBy } from '../../listed.ts';
import type { MessageReason, SuppressionReason } from '../../schema.ts';
import { PASS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import type { Gate } from './gate.ts';
import { senderOf } from './sender-of.ts';

const REASONS: readonly (MessageReason | null)[] = [
  'no_address',
  'no_token',
  'token_inactive',
  'bounced_address',
  'complained_address',
  'sms_stopped',
];

/** Why the channel or its suppression list excludes an address; null: usable. Pure. */
export const unusableFor = (
  message: Pick<ReadyMessage, 'addressState' | 'send'> & { readonly row: Pick<ReadyMessage['row'], 'channel'> },
): SuppressionReason | null => {
  const { unusable = null, listed = [] } = message.addressState ?? {};
  return unusable ?? unusableBy(listed, senderOf(message));
};

/** Stops a message without an address or with an unusable one. */
export const addressUsable: Gate = {
  name: 'address_usable',
  evaluate: (message) => {
    if (message.row.address === null) return { verdict: 'suppressed', reason: 'no_address' };
    const reason = unusableFor(message);
    return reason === null ? PASS : { verdict: 'suppressed', reason };
  },
  evidence: (message) => ({ address: message.row.address, unusable: unusableFor(message) }),
  // A row that was never leased was suppressed at creation: no address, or a duplicate.
  stopped: ({ status, reason, fence }) => status === 'suppressed' && (fence === 0 || REASONS.includes(reason)),
  storedEvidence: ({ address }) => ({ address }),
};
