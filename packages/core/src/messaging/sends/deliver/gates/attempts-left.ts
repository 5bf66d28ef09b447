import { MAX_ATTEMPTS, PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

const EXHAUSTED = { code: 'attempts_exhausted', message: 'Every attempt ended without an answer.' } as const;

/** Stops a message that used all handovers without an answer. */
export const attemptsLeft: Gate = {
  name: 'attempts_left',
  evaluate: ({ row: { status, attempt } }) =>
    status === 'sending' && attempt >= MAX_ATTEMPTS ? { verdict: 'failed', ...EXHAUSTED } : PASS,
  evidence: ({ row: { status, attempt } }) => ({ status, attempt, most: MAX_ATTEMPTS }),
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === EXHAUSTED.code,
  storedEvidence: ({ attempt }) => ({ attempt, most: MAX_ATTEMPTS }),
};
