import { AMBIGUOUS, PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/**
 * Stops a text message found in `sending`: its last worker died before the answer was stored.
 *
 * @param resendsAmbiguous sends such a message again
 */
export const notAmbiguous = (resendsAmbiguous: boolean): Gate => ({
  name: 'not_ambiguous',
  evaluate: ({ row: { channel, status } }) =>
    status === 'sending' && channel === 'sms' && !resendsAmbiguous ? { verdict: 'failed', ...AMBIGUOUS } : PASS,
  evidence: ({ row: { channel, status } }) => ({ channel, status, resendsAmbiguous }),
  // An answer that leaves it unknown whether the message was accepted ends it by the same rule.
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === AMBIGUOUS.code,
  storedEvidence: ({ channel, attempt }) => ({ channel, attempt }),
});
