import type { LeaseKey } from '../../../src/database/statements/claim.ts';
import type { ProcessContext } from '../../../src/jobs/registration.ts';

/** The context of a handler whose worker does not stop, or stops according to `change`. */
export const processContext = (change: Partial<ProcessContext<LeaseKey>> = {}): ProcessContext<LeaseKey> => ({
  signal: new AbortController().signal,
  draining: new AbortController().signal,
  giveBack: () => undefined,
  ...change,
});
