// What the sandbox caught. Messages handed over together are recorded together: the first of a batch waits one turn
// of the event loop, those that come while a batch is being written make the next one.

import type { OutboxApi, SandboxMessage } from '../../api.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../primitives/clock.ts';
import type { Ids } from '../../primitives/ids.ts';
import { decodeCursor, pageLimit, pageOf } from '../../primitives/page.ts';
import { userIdOf } from '../../primitives/person.ts';
import { scopeKey, scopeOf } from '../../primitives/scope.ts';
import type { ChannelKey } from '../../providers/connections.ts';
import { isUnavailable } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { write } from '../../storage/write-set.ts';
import type { SandboxRequest } from '../../transports/sandbox/request.ts';
import type { SendingHot } from '../hot.ts';
import type { SandboxRow, SendingStore } from '../store.ts';
import { type AnyMessage, addressOf, describeMessage } from './describe-message.ts';

type Recorder = (message: AnyMessage, request: SandboxRequest | null) => Promise<void>;

export type OutboxDeps = {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly store: SendingStore;
  readonly hot: SendingHot;
  readonly clock: Clock;
  readonly ids: Ids;
};

type Pending = {
  readonly scope: ChannelKey;
  readonly message: AnyMessage;
  readonly request: SandboxRequest | null;
  settle(error?: unknown): void;
};

const viewOf = (row: SandboxRow): SandboxMessage => ({
  id: row.id,
  channel: row.channel,
  sendId: row.sendId,
  messageId: row.messageId,
  userId: row.userId,
  address: row.address,
  content: row.content,
  createdAt: row.createdAt,
});

const recording = ({ storage, hot, clock, ids }: OutboxDeps) => {
  let pending: Pending[] = [];
  let isWriting = false;

  const people = async (batch: readonly Pending[]): Promise<Map<string, string | null>> => {
    const keys = new Map(
      batch.map(({ scope, message: { messageId } }) => [
        `${scopeKey(scope)}/${messageId}`,
        [scopeKey(scope), messageId],
      ]),
    );
    const rows = await storage.select(hot.messagePeople, [...keys.values()]);
    return new Map(rows.map((row) => [`${scopeKey(row)}/${row.id}`, row.person]));
  };

  const keep = async (batch: readonly Pending[]): Promise<void> => {
    const persons = await people(batch);
    const createdAt = clock.now();
    const writes = batch.map(({ scope, message, request }) => {
      const person = persons.get(`${scopeKey(scope)}/${message.messageId}`) ?? null;
      return write(hot.insertSandboxMessage, {
        ...scopeOf(scope),
        id: ids.next(),
        channel: scope.channel,
        sendId: message.sendId,
        messageId: message.messageId,
        userId: person === null ? null : userIdOf(person),
        address: addressOf(message),
        content: { ...describeMessage(message), ...(request === null ? {} : { request }) },
        createdAt,
      });
    });
    await storage.commit({ writes });
  };

  const keepAlone = async (one: Pending): Promise<void> => {
    try {
      await keep([one]);
      one.settle();
    } catch (error) {
      one.settle(error);
    }
  };

  const flush = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      try {
        await keep(batch);
        for (const one of batch) one.settle();
      } catch (error) {
        // One row that the database refuses must not keep the others out; an absent database refuses all.
        if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await keepAlone(one);
        else for (const one of batch) one.settle(error);
      }
    }
    isWriting = false;
  };

  return (scope: ChannelKey) =>
    (message: AnyMessage, request: SandboxRequest | null): Promise<void> =>
      new Promise((resolve, reject) => {
        pending.push({ scope, message, request, settle: (error) => (error === undefined ? resolve() : reject(error)) });
        if (isWriting) return;
        isWriting = true;
        void flush();
      });
};

/**
 * The outbox: `recorder(key)` is what the sandbox transport of a channel is given to record into (one row per
 * hand-over, so that a duplicate shows), `api` is how it is read.
 */
export const outboxEngine = (deps: OutboxDeps): { recorder(key: ChannelKey): Recorder; readonly api: OutboxApi } => {
  const { store } = deps;
  return {
    recorder: recording(deps),
    api: {
      list: async (scope, { channel = null, userId = null, limit: asked, cursor } = {}) => {
        const limit = pageLimit(asked);
        const binding = JSON.stringify(['outbox', scopeKey(scope), channel, userId]);
        const after = cursor === undefined ? null : decodeCursor(binding, cursor);
        const rows = await store.sandboxMessages(scope, { channel, userId, after, limit: limit + 1 });
        return pageOf(rows.map(viewOf), limit, ({ id }) => id, binding);
      },
      get: async (scope, id) => {
        const row = await store.sandboxMessage(scope, id);
        if (!row) throw notFound();
        return viewOf(row);
      },
      clear: (scope) => store.clearSandboxMessages(scope),
    },
  };
};
