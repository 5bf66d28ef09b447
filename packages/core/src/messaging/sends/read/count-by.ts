import type { StatusCount } from '../store.ts';

/** Numbers of sent and failed messages; bounced counts as failed. */
export type Counts = { sent: number; failed: number };

export const isSent = ({ status }: StatusCount): boolean => status === 'sent' || status === 'delivered';
export const isFailed = ({ status }: StatusCount): boolean => status === 'failed' || status === 'bounced';
/** True if the messages have not ended. */
export const isWaiting = ({ status }: StatusCount): boolean =>
  status === 'queued' || status === 'deferred' || status === 'sending';

export const sum = (counts: readonly StatusCount[]): number => counts.reduce((total, { count }) => total + count, 0);

/** Counts messages by a name; messages without one are omitted. Throws nothing. */
export const countBy = (
  counts: readonly StatusCount[],
  nameOf: (one: StatusCount) => string | null,
): Record<string, number> => {
  const named = new Map<string, number>();
  for (const one of counts) {
    const name = nameOf(one);
    if (name !== null) named.set(name, (named.get(name) ?? 0) + one.count);
  }
  return Object.fromEntries(named);
};

/** Counts sent and failed messages by a name; messages without one are omitted. Throws nothing. */
export const byName = (
  counts: readonly StatusCount[],
  nameOf: (one: StatusCount) => string | null,
): Record<string, Counts> => {
  const sent = countBy(counts.filter(isSent), nameOf);
  const failed = countBy(counts.filter(isFailed), nameOf);
  const names = new Set([...Object.keys(sent), ...Object.keys(failed)]);
  return Object.fromEntries([...names].map((name) => [name, { sent: sent[name] ?? 0, failed: failed[name] ?? 0 }]));
};
