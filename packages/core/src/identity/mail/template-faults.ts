import type { Clock } from '../../foundation/clock.ts';
import { lru } from '../../foundation/lru.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import type { AuthEmailsDeps } from './emails.ts';

type OnFault = AuthEmailsDeps['onFault'];
type Fault = Parameters<OnFault>[1];

/** A fault is recorded once in this time, since every email of the kind has it. */
const EVERY_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;

/** Records faults of templates, each at most once an hour per process. `record` must not reject. */
export const templateFaults = ({
  clock,
  record,
}: {
  readonly clock: Clock;
  record(scope: Scope, fault: Fault): Promise<unknown>;
}): OnFault => {
  const recordedAt = lru<string, number>(MAX_REMEMBERED);
  return (scope, fault) => {
    const key = `${scopeKey(scope)}/${fault.kind}/${fault.templateId}/${fault.fault}`;
    const now = clock.now().getTime();
    const last = recordedAt.get(key);
    if (last !== undefined && now - last < EVERY_MS) return;
    recordedAt.set(key, now);
    void record(scope, fault);
  };
};
