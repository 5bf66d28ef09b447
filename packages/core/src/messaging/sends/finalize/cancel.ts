import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { write } from '../../../database/commit/write-set.ts';
import { conflict, notFound, overloaded } from '../../../foundation/errors.ts';
import { scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { SendsApi } from '../api.ts';
import type { SendsContext } from '../context.ts';
import type { SendRow } from '../store.ts';
import type { MessageChange } from './change.ts';
import { stoppedChange } from './outcome.ts';
import type { EndSend } from './send-endings.ts';

/** Dependencies of cancelling. */
type CancelContext = Pick<SendsContext, 'storage' | 'store' | 'hot' | 'clock' | 'finalize'> & {
  readonly endSend: EndSend;
  /** Reads the cancelled send. */
  readonly get: SendsApi['get'];
};

const SEND = 'send';
const CANCELLED = { verdict: 'cancelled' } as const;

/**
 * Cancels a send without handovers, with all its messages in one transaction. The conditions are in the statement
 * itself, so a racing cancel and handover exclude each other. Source: semantics, Cancel and handover.
 */
export const canceller = ({
  storage,
  store,
  hot,
  clock,
  finalize,
  endSend,
  get,
}: CancelContext): SendsApi['cancel'] => {
  /** One change per message; read only if a reaction needs them, because a send may have a million. */
  const changesOf = async (send: SendRow, now: Date): Promise<readonly MessageChange[]> => {
    const { workflowRunId: runId, stepPath: path, channel } = send;
    const step = runId === null || path === null ? null : { runId, path };
    const any = { ...scopeOf(send), id: '', sendId: send.id, channel, person: null, attempt: 0, fence: 0 };
    if (!(await finalize.concernsSend(stoppedChange({ ...any, status: 'queued' }, step, CANCELLED, now)))) return [];
    const rows = await storage.select(hot.cancellableMessages, [[scopeKey(send), send.id]]);
    return rows.map((row) => stoppedChange(row, step, CANCELLED, now));
  };

  return async (scope, channel, id) => {
    const { ok } = await commitPlanned(storage, [id], {
      plan: async () => {
        const send = await store.send(scope, channel, id);
        if (!send) throw notFound('send with this id', scope);
        if (send.status === 'cancelled') return { writes: [] };
        if (send.status !== 'queued' || send.startedAt !== null) throw conflict('already_dispatched');
        const now = clock.now();
        const key = scopeOf(send);
        const end = { status: 'cancelled', finishedAt: now } as const;
        const cancel = { ...key, id, ...end, cancelledAt: now };
        const cancelMessages = write(hot.cancelMessages, { ...key, sendId: id, ...end });
        // The send raises an event itself unless it has messages that can still be cancelled; those raise theirs.
        const { targeted, sent, failed, suppressed } = send;
        if (targeted === sent + failed + suppressed) {
          const ended = await endSend(send, { name: 'push.cancelled' }, now);
          return {
            writes: [write(hot.cancelUnsent, { ...cancel, targeted }, SEND), ...ended.writes],
            wakes: ended.wakes,
          };
        }
        const { writes, wakes, hooks } = await finalize.react(await changesOf(send, now), now);
        return { writes: [write(hot.cancelSend, cancel, SEND), cancelMessages, ...writes], wakes, hooks };
      },
    });
    if (!ok) throw overloaded(1);
    return get(scope, channel, id);
  };
};
