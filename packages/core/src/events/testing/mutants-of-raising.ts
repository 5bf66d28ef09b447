import type { Mutant } from '../../../test/mutant.ts';

/** Rules of the queue, of events that the service raises, and of histories: a part of the room's list. */
export const raising: readonly Mutant[] = [
  {
    says: 'a cursor belongs to the events of one person',
    file: 'history.ts',
    find: '/${person}/${stableJson(range)}`',
    replace: '/${stableJson(range)}`',
  },
  {
    says: 'a cursor belongs to a history of one time',
    file: 'history.ts',
    find: '/${person}/${stableJson(range)}`',
    replace: '/${person}`',
  },
  {
    says: 'a history of a time begins before its end, with what messages tell as well',
    file: 'history.ts',
    find: 'from.moment ?? startOf(range)',
    replace: 'from.moment',
  },
  {
    says: 'a history of a time ends with what messages tell as well',
    file: 'history.ts',
    find: 'oldest === null ? range.fromMs :',
    replace: 'oldest === null ? null :',
  },
  {
    says: 'what messages tell is counted once',
    file: 'history.ts',
    find: 'total += (await untoldOf(scope, moments)).length;',
    replace: 'total += moments.length;',
  },
  {
    says: 'at most 20,000 rows wait',
    file: 'queue.ts',
    find: 'MAX_PENDING_ROWS = 20_000',
    replace: 'MAX_PENDING_ROWS = 20_001',
  },
  {
    says: 'at most 16 MB wait',
    file: 'queue.ts',
    find: '16 * 1_024 * 1_024',
    replace: '16 * 1_024 * 1_024 + 1',
  },
  {
    says: 'a flush has at most 1,000 rows',
    file: 'queue.ts',
    find: 'MAX_FLUSH_ROWS = 1_000',
    replace: 'MAX_FLUSH_ROWS = 1_001',
  },
  {
    says: 'the rows that wait are bounded',
    file: 'queue.ts',
    find: '    maxPendingRows: MAX_PENDING_ROWS,\n',
    replace: '',
  },
  {
    says: 'the bytes that wait are bounded',
    file: 'queue.ts',
    find: '    maxPendingBytes: MAX_PENDING_BYTES,\n',
    replace: '',
  },
  {
    says: 'the rows of a flush are bounded',
    file: 'queue.ts',
    find: '    maxFlushRows: MAX_FLUSH_ROWS,\n',
    replace: '',
  },
  {
    says: 'one connection writes on SQLite',
    file: 'queue.ts',
    find: 'sqlite: 1',
    replace: 'sqlite: 2',
  },
  {
    says: 'a person keeps to one partition',
    file: 'queue.ts',
    find: '${userId ?? anonymousId}',
    replace: '${userId}${anonymousId}',
  },
  {
    says: 'what nobody listens to makes no row where it is not kept',
    file: 'emit.ts',
    find: "if (!isHeard && !isKept && kept !== 'event') return NOTHING;",
    replace: '',
  },
  {
    says: 'what is kept is a row where nobody listens',
    file: 'emit.ts',
    find: "!isKept && kept !== 'event'",
    replace: '!isKept',
  },
  {
    says: 'what comes late is a row where nobody listens',
    file: 'emit.ts',
    find: '!isHeard && !isKept &&',
    replace: '!isHeard &&',
  },
  {
    says: 'what nobody listens to is not due',
    file: 'emit.ts',
    find: 'if (!isHeard || depth',
    replace: 'if (depth',
  },
  {
    says: 'what is too deep to start anything is not due',
    file: 'emit.ts',
    find: 'depth > MAX_DEPTH',
    replace: 'depth > MAX_DEPTH + 1',
  },
  {
    says: 'what is as deep as the run that is stopped is due',
    file: 'emit.ts',
    find: 'depth > MAX_DEPTH',
    replace: 'depth >= MAX_DEPTH',
  },
  {
    says: 'a raised event ends with what it started',
    file: 'raised.ts',
    find: 'writes: [...part.map(end), ...draft.writes]',
    replace: 'writes: draft.writes',
  },
  {
    says: 'a raised event that another worker took is left to that one',
    file: 'raised.ts',
    find: 'isLost: (row, failed) => failed.has(endTag(row)),',
    replace: '',
  },
  {
    says: 'what a message and an event tell is told once',
    file: 'history.ts',
    find: 'moments.filter(({ id }) => !stored.has(id))',
    replace: 'moments',
  },
  {
    says: 'of messages and events the newer comes first',
    file: 'history.ts',
    find: 'head.at > row.receivedAt',
    replace: 'head.at < row.receivedAt',
  },
];
