import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

const CODE = 'expired';

/** Stops messages whose link or code is no longer valid. */
export const notExpired: Gate = {
  name: 'not_expired',
  evaluate: ({ send }, { now }) =>
    send?.expiresAt && send.expiresAt <= now
      ? { verdict: 'failed', code: CODE, message: 'The link or code in this message expired before it was sent.' }
      : PASS,
  evidence: ({ send }) => ({ expiresAt: send?.expiresAt?.toISOString() ?? null }),
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === CODE,
  storedEvidence: () => ({}),
};
