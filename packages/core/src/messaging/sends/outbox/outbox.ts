// The outbox of the sandbox. Messages handed over together are recorded in one commit.

import { write } from '../../../database/commit/write-set.ts';
import { isUnavailable } from '../../../database/errors.ts';
import type { Storage } from '../../../database/storage.ts';
import type { ChannelKey } from '../../../delivery/providers/connections.ts';
import type { OutboxMessage } from '../../../delivery/transports/sandbox/answers.generated.ts';
import type { OutboxApi } from '../../../delivery/transports/sandbox/api.ts';
import type { SandboxRequest } from '../../../delivery/transports/sandbox/request.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { notFound } from '../../../foundation/errors.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { idOf, jsonBytes, listPage, MAX_PAGE_BYTES } from '../../../foundation/page.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { batcher, type Settled } from '../../../jobs/concurrency/batcher.ts';
import type { SendingStatements } from '../statements.ts';
import { type AnyMessage, addressOf, describeMessage } from './describe-message.ts';
import type { OutboxStore, SandboxRow } from './store.ts';

/** Rows read at once. Chosen: an email has up to 3 MB, a page up to 4. */
const SLICE = 16;

type Recorder = (message: AnyMessage, request: SandboxRequest | null) => Promise<void>;

export type OutboxContext = {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly store: OutboxStore;
  readonly hot: SendingStatements;
  readonly clock: Clock;
  readonly ids: Ids;
};

type Recorded = {
  readonly scope: ChannelKey;
  readonly message: AnyMessage;
  readonly request: SandboxRequest | null;
};

const viewOf = (row: SandboxRow): OutboxMessage =>
  // Safe: `keep` stores, under its channel, what `describeMessage` made of that channel's message.
  ({
    id: row.id,
    channel: row.channel,
    sendId: row.sendId,
    messageId: row.messageId,
    userId: row.userId,
    address: row.address,
    content: row.content as unknown,
    createdAt: row.createdAt,
  }) as OutboxMessage;

const keyOf = ({ scope, message: { messageId } }: Recorded): string => `${scopeKey(scope)}/${messageId}`;

const recording = ({ storage, hot, clock, ids }: OutboxContext) => {
  const people = async (batch: readonly Recorded[]): Promise<Map<string, string | null>> => {
    const keys = new Map(batch.map((one) => [keyOf(one), [scopeKey(one.scope), one.message.messageId]]));
    const rows = await storage.select(hot.messagePeople, [...keys.values()]);
    return new Map(rows.map((row) => [`${scopeKey(row)}/${row.id}`, row.person]));
  };

  const keep = async (batch: readonly Recorded[]): Promise<void> => {
    const persons = await people(batch);
    const createdAt = clock.now();
    const writes = batch.flatMap((one) => {
      const person = persons.get(keyOf(one));
      // The user was erased after the handover.
      if (person === undefined) return [];
      const { scope, message, request } = one;
      return write(hot.insertOutboxMessage, {
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
    if (writes.length > 0) await storage.commit({ writes });
  };

  const storeBatch = async (batch: readonly Recorded[]): Promise<Settled<void>[]> => {
    try {
      await keep(batch);
      return batch.map(() => ({ ok: true, value: undefined }));
    } catch (error) {
      // One rejected row must not fail the others; an unavailable database fails all.
      if (batch.length === 1 || isUnavailable(error)) return batch.map(() => ({ ok: false, error }));
      const results: Settled<void>[] = [];
      for (const one of batch) results.push(...(await storeBatch([one])));
      return results;
    }
  };

  const { submit } = batcher<Recorded, void>({ flush: storeBatch });
  return (scope: ChannelKey) =>
    (message: AnyMessage, request: SandboxRequest | null): Promise<void> =>
      submit({ scope, message, request });
};

/**
 * The outbox. `recorder(key)` is the function into which a channel's sandbox transport records: one row per handover,
 * so duplicates are visible. `api` reads it.
 */
export const outboxEngine = (
  context: OutboxContext,
): { recorder(key: ChannelKey): Recorder; readonly api: OutboxApi } => {
  const { store } = context;
  return {
    recorder: recording(context),
    api: {
      list: (scope, { channel = null, userId = null, ...query } = {}) =>
        listPage(query, {
          binding: JSON.stringify(['outbox', scopeKey(scope), channel, userId]),
          read: async ({ after, limit }) => {
            const views: OutboxMessage[] = [];
            for (let bytes = 0, left = limit; left > 0 && bytes <= MAX_PAGE_BYTES; left = limit - views.length) {
              const place = { after: views.at(-1)?.id ?? after, limit: Math.min(left, SLICE) };
              const some = (await store.outboxMessages(scope, { channel, userId, ...place })).map(viewOf);
              for (const view of some) bytes += jsonBytes(view) + 1;
              views.push(...some);
              if (some.length < place.limit) break;
            }
            return views;
          },
          positionOf: idOf,
        }),
      get: async (scope, id) => {
        const row = await store.sandboxMessage(scope, id);
        if (!row) throw notFound('message with this id in the outbox', scope);
        return viewOf(row);
      },
      clear: (scope) => store.clearOutbox(scope),
    },
  };
};
