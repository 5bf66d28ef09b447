import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/** Stops a message without an address, or whose channel says that its address is not to be used. */
export const addressUsable: Gate = ({ row: { address }, addressState }) => {
  if (address === null) return { verdict: 'suppressed', reason: 'no_address' };
  const unusable = addressState?.unusable ?? null;
  return unusable === null ? PASS : { verdict: 'suppressed', reason: unusable };
};
