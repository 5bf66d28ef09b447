import type { MessageReason } from '../../schema.ts';
import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

const REASONS: readonly (MessageReason | null)[] = ['no_address', 'no_token', 'token_inactive', 'sms_stopped'];

/** Stops a message without an address, or whose channel says that its address is not to be used. */
export const addressUsable: Gate = {
  name: 'address_usable',
  judge: ({ row: { address }, addressState }) => {
    if (address === null) return { verdict: 'suppressed', reason: 'no_address' };
    const unusable = addressState?.unusable ?? null;
    return unusable === null ? PASS : { verdict: 'suppressed', reason: unusable };
  },
  saw: ({ row: { address }, addressState }) => ({ address, unusable: addressState?.unusable ?? null }),
  // A row that was never leased was suppressed as it was made: its recipient had no address, or the send had it twice.
  stopped: ({ status, reason, fence }) => status === 'suppressed' && (fence === 0 || REASONS.includes(reason)),
  kept: ({ address }) => ({ address }),
};
