import { MAX_ATTEMPTS, PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/** Stops a message whose hand-overs all went unanswered. */
export const attemptsLeft: Gate = ({ row: { status, attempt } }) =>
  status === 'sending' && attempt >= MAX_ATTEMPTS
    ? { verdict: 'failed', code: 'attempts_exhausted', message: 'Every attempt ended without an answer.' }
    : PASS;
