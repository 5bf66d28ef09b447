import { AMBIGUOUS, PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/**
 * Stops a text message that is found in `sending`: whoever handed it over last died before it heard the answer.
 *
 * @param resendsAmbiguous such a message is sent again
 */
export const notAmbiguous = (resendsAmbiguous: boolean): Gate => ({
  name: 'not_ambiguous',
  evaluate: ({ row: { channel, status } }) =>
    status === 'sending' && channel === 'sms' && !resendsAmbiguous ? { verdict: 'failed', ...AMBIGUOUS } : PASS,
  evidence: ({ row: { channel, status } }) => ({ channel, status, resendsAmbiguous }),
  // An answer from which nobody learns whether the message was taken ends it by the same rule.
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === AMBIGUOUS.code,
  kept: ({ channel, attempt }) => ({ channel, attempt }),
});
