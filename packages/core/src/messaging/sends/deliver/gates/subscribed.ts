import { hasUnsubscribed } from '../../choices.ts';
import { isUnsubscribedBy } from '../../listed.ts';
import { PASS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import type { Gate } from './gate.ts';
import { senderOf } from './sender-of.ts';

/** What decides whether a message is wanted. */
type Subject = Pick<ReadyMessage, 'addressState' | 'choices' | 'send'> & {
  readonly row: Pick<ReadyMessage['row'], 'channel'>;
};

/** Whether the suppression list or the user's choices exclude the message. Pure. */
const against = (message: Subject) => {
  const { send, addressState, choices } = message;
  const about = { class: send?.class ?? 'marketing', category: send?.category ?? null };
  return {
    isListed: isUnsubscribedBy(addressState?.listed ?? [], senderOf(message), about.class),
    isUnsubscribed: hasUnsubscribed(choices, about),
  };
};

/** True if the message is unwanted. Pure. */
export const isUnwanted = (message: Subject): boolean => {
  const { isListed, isUnsubscribed } = against(message);
  return isListed || isUnsubscribed;
};

/** Stops a message that the recipient, or an operator, has opted out of. */
export const subscribed: Gate = {
  name: 'subscribed',
  evaluate: (message) => (isUnwanted(message) ? { verdict: 'suppressed', reason: 'unsubscribed' } : PASS),
  evidence: (message) => {
    const { send } = message;
    return { class: send?.class ?? null, category: send?.category ?? null, ...against(message) };
  },
  stopped: ({ status, reason }) => status === 'suppressed' && reason === 'unsubscribed',
  storedEvidence: () => ({}),
};
