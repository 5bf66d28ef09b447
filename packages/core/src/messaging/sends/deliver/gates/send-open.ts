import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/** Stops messages of a cancelled or finished send. */
export const sendOpen: Gate = {
  name: 'send_open',
  evaluate: (_, { sendStatus }) =>
    sendStatus === 'queued' || sendStatus === 'sending' ? PASS : { verdict: 'cancelled' },
  evidence: (_, { sendStatus }) => ({ sendStatus }),
  stopped: ({ status }) => status === 'cancelled',
  storedEvidence: () => ({}),
};
