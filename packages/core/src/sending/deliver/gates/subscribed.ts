import { isUnsubscribedBy } from '../../listed.ts';
import { PASS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import type { Gate } from './gate.ts';
import { senderOf } from './sender-of.ts';

/** Whether the address is on its channel's list for what is sent. Pure. */
const isListed = (message: ReadyMessage): boolean =>
  isUnsubscribedBy(message.addressState?.listed ?? [], senderOf(message), message.send?.class ?? 'marketing');

/** Stops a message that whoever gets it, or an operator for them, does not want. */
export const subscribed: Gate = {
  name: 'subscribed',
  judge: (message) => (isListed(message) ? { verdict: 'suppressed', reason: 'unsubscribed' } : PASS),
  saw: (message) => ({ class: message.send?.class ?? null, isListed: isListed(message) }),
  stopped: ({ status, reason }) => status === 'suppressed' && reason === 'unsubscribed',
  kept: () => ({}),
};
