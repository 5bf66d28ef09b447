// Why a message went, waits or did not go, as text for people.

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
  worker: 'a worker that takes it up',
  response: 'the answer of its provider, which has it',
  retry: 'the next attempt, after one that failed',
  credentials: 'credentials that its provider takes: it refuses those that are set (beckon providers test)',
  provider: 'a provider that answers, since those of its channel give no answer',
  capacity: 'its provider, which has as many as it takes',
  deferral: 'the moment that it was deferred to',
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

/** The message and, one line each, its gates. An address is short where a person reads it. */
export const explanationLines = (message: ExplainedMessage, { isTTY }: Pick<Screen, 'isTTY'>): string[] => {
  const { channel, explanation, address: whole } = message;
  const address = isTTY ? shortAddress(channel, whole) : whole;
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
