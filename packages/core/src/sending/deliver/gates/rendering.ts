import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/** Stops a message of which nothing can be sent: it renders to nothing, or not at all. */
export const rendering: Gate = ({ rendered }) => {
  const result = rendered();
  return result.verdict === 'pass' ? PASS : result;
};
