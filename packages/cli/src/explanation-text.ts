// The explanation of a message as text: why it was sent, waits or was not sent.

import type { Channel } from '@beckon/core';
import type { Answer } from './api.ts';
import type { Screen } from './cells.ts';
import { shortAddress } from './message-text.ts';
import { fieldLines } from './scoped.ts';
import { errorText } from './send-text.ts';

type ExplainedMessage = Answer<`GET /${Channel}/messages/{id}`>;
type MessageExplanation = ExplainedMessage['explanation'];
type GateVerdict = MessageExplanation['gates'][number];

const WAITING_FOR: Readonly<Record<NonNullable<MessageExplanation['waitingFor']>['kind'], string>> = {
  worker: 'a worker',
  response: 'the response of the provider',
  retry: 'the next attempt after a failure',
  credentials: 'valid credentials: the provider rejects the current ones (beckon providers test)',
  provider: 'a provider: none of the channel responds',
  capacity: 'capacity of the provider',
  deferral: 'its scheduled time',
};

const waitingText = (waitingFor: MessageExplanation['waitingFor']): string | null =>
  waitingFor === null
    ? null
    : `${WAITING_FOR[waitingFor.kind]}${waitingFor.until === null ? '' : `, until ${waitingFor.until}`}`;

const verdictText = ({ verdict, reason, errorCode, error, deferredUntil }: GateVerdict): string => {
  const why = reason ?? errorCode ?? null;
  const until = deferredUntil === undefined ? '' : ` until ${deferredUntil}`;
  const words = verdict === 'not_reached' ? 'not reached' : verdict;
  return `${words}${until}${why === null ? '' : `, ${why}`}${error ? `: ${error}` : ''}`;
};

const evidenceText = (evidence: GateVerdict['evidence']): string => {
  const values = Object.entries(evidence).map(([name, value]) => `${name}=${value ?? 'none'}`);
  return values.length === 0 ? '' : `  (${values.join(', ')})`;
};

/** The message, then one line per check. Addresses are short on a terminal. */
export const explanationLines = (message: ExplainedMessage, { isTTY }: Pick<Screen, 'isTTY'>): string[] => {
  const { channel, explanation, address: fullAddress } = message;
  const address = isTTY ? shortAddress(channel, fullAddress) : fullAddress;
  const { stoppedBy, waitingFor, gates } = explanation;
  return [
    ...fieldLines([
      ['id', message.id],
      ['send', message.sendId],
      ['channel', channel],
      ['user', message.userId],
      ['address', address],
      ['platform', message.platform],
      ['status', message.status],
      ['reason', message.reason],
      ['error', errorText(message)],
      ['attempt', message.attempt],
      ['created', message.createdAt],
      ['sent', message.sentAt],
      ['stopped by', stoppedBy],
      ['waiting for', waitingText(waitingFor)],
    ]),
    '',
    ...gates.map((one) => {
      const evidence = 'address' in one.evidence ? { ...one.evidence, address } : one.evidence;
      return `${one.gate}: ${verdictText(one)}${evidenceText(evidence)}`;
    }),
  ];
};
