import { explicitSender } from '../../senders.ts';
import { PASS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import type { Gate } from './gate.ts';

const UNVERIFIED = {
  code: 'domain_not_verified',
  message: 'The domain of the From address is not verified.',
} as const;

/** The sender address of an email: that of its request, else that of the provider settings. */
const senderOf = ({ send, connection }: ReadyMessage): string | null =>
  (send === null ? null : explicitSender(send.content)) ?? connection?.defaultFrom.email ?? null;

/** Stops a `prod` email whose domain must be verified and is not. */
export const senderVerified: Gate = {
  name: 'sender_verified',
  evaluate: (message) => {
    const { row, connection, senders } = message;
    if (!senders.isRequired || row.channel !== 'email' || connection?.provider === 'sandbox') return PASS;
    const from = senderOf(message);
    return from === null || senders.mayBeFrom(from) ? PASS : { verdict: 'failed', ...UNVERIFIED };
  },
  evidence: (message) => ({ from: senderOf(message), isRequired: message.senders.isRequired }),
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === UNVERIFIED.code,
  storedEvidence: () => ({}),
};
