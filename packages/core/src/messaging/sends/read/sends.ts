import { notFound, validationError } from '../../../foundation/errors.ts';
import { idOf, type ListQuery, listPage, type Page, type PageQuery, timeRange } from '../../../foundation/page.ts';
import { type Person, userPerson } from '../../../foundation/person.ts';
import { type InScope, type Scope, scopeKey } from '../../../foundation/scope.ts';
import type { Message, Send } from '../answers.generated.ts';
import type { SendsApi } from '../api.ts';
import { MESSAGE_STATUSES, SEND_STATUSES } from '../schema.ts';
import type { Filter, SendingStore, SendRow } from '../store.ts';
import { type SendFacts, viewOfMessage, viewOfSend } from './view.ts';

/** Maximum messages counted by status per read. Chosen: about 10 ms. */
const MAX_COUNTED = 10_000;
const UNSEEN: SendFacts = { counts: null };

/** True if messages may be retried. */
const isOpen = ({ status }: SendRow): boolean => status === 'queued' || status === 'sending';

const statusIn = <Status extends string>(statuses: readonly Status[], requested: Status | undefined): Status | null => {
  if (requested === undefined) return null;
  const status = statuses.find((one) => one === requested);
  if (status === undefined) throw validationError({ status: [`must be one of ${statuses.join(', ')}`] });
  return status;
};

const filterOf = <Status extends string>(
  known: readonly Status[],
  { status, userId, from, to }: ListQuery & { status?: Status | undefined; userId?: string | undefined },
): Filter<Status> => ({
  status: statusIn(known, status),
  person: userId === undefined ? null : userPerson(userId),
  ...timeRange({ from, to }),
});

/** Messages of a user, newest first; empty for an unknown user. */
export type MessagesFor = (scope: InScope, person: Person, query?: PageQuery) => Promise<Page<Message>>;

/** Makes the reads of sends and their messages. */
export const sendReads = (
  store: SendingStore,
): {
  readonly api: Omit<SendsApi, 'message' | 'cancel' | 'health' | 'throughput'>;
  readonly forPerson: MessagesFor;
} => {
  /** Counts in row order, until the total of messages exceeds the maximum. */
  const factsOf = async (scope: Scope, rows: readonly SendRow[]): Promise<SendFacts[]> => {
    let left = MAX_COUNTED;
    const ids = new Set(
      rows.flatMap(({ id, targeted }) => {
        left -= targeted;
        return left < 0 ? [] : [id];
      }),
    );
    const open = rows.filter(isOpen).map(idOf);
    const [counts, problems] = await Promise.all([
      ids.size === 0 ? [] : store.countsOf(scope, [...ids]),
      open.length === 0 ? [] : store.problemsOf(scope, open),
    ]);
    const bySend = Map.groupBy(counts, ({ sendId }) => sendId);
    const problemOf = new Map(problems.map((problem) => [problem.sendId, problem]));
    return rows.map(({ id }) => ({
      counts: ids.has(id) ? (bySend.get(id) ?? []) : null,
      problem: problemOf.get(id) ?? null,
    }));
  };
  const viewsOf = async (scope: Scope, rows: readonly SendRow[]): Promise<Send[]> => {
    const seen = await factsOf(scope, rows);
    return rows.map((row, at) => viewOfSend(scope, row, seen[at] ?? UNSEEN));
  };

  return {
    api: {
      list: async (scope, channel, query = {}) => {
        const filter = filterOf(SEND_STATUSES, query);
        return listPage(query, {
          binding: JSON.stringify(['sends', scopeKey(scope), channel, filter]),
          read: async (place) => viewsOf(scope, await store.sends(scope, channel, { ...filter, ...place })),
          count: () => store.countSends(scope, channel, filter),
          positionOf: idOf,
        });
      },
      get: async (scope, channel, id) => {
        const row = await store.send(scope, channel, id);
        const [view] = row ? await viewsOf(scope, [row]) : [];
        if (!view) throw notFound('send with this id', scope);
        return view;
      },
      messages: async (scope, channel, id, query = {}) => {
        const filter = filterOf(MESSAGE_STATUSES, query);
        return listPage(query, {
          binding: JSON.stringify(['messages', scopeKey(scope), channel, id, filter]),
          read: async (place) => {
            if (!(await store.send(scope, channel, id))) throw notFound('send with this id', scope);
            return (await store.messagesOf(scope, id, { ...filter, ...place })).map(viewOfMessage);
          },
          count: () => store.countMessages(scope, id, filter),
          positionOf: idOf,
        });
      },
    },
    forPerson: (scope, person, query = {}) =>
      listPage(query, {
        binding: JSON.stringify(['messages-for', scopeKey(scope), person]),
        read: async (place) => (await store.messagesFor(scope, person, place)).map(viewOfMessage),
        positionOf: idOf,
      }),
  };
};
