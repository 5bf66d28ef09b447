import { AMBIGUOUS, PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/**
 * Stops a text message that is found in `sending`: whoever handed it over last died before it heard the answer.
 *
 * @param resendsAmbiguous such a message is sent again
 */
export const notAmbiguous =
  (resendsAmbiguous: boolean): Gate =>
  ({ row: { channel, status } }) =>
    status === 'sending' && channel === 'sms' && !resendsAmbiguous ? { verdict: 'failed', ...AMBIGUOUS } : PASS;
