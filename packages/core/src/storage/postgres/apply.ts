import type { BulkWrite } from '../bulk.ts';
import { once } from '../drizzle.ts';
import { isRetryable, isUnavailable } from '../errors.ts';
import { type RenderedWrite, renderWrite } from '../render.ts';
import { byStatement, type Tag, type Write, type WriteSet } from '../write-set.ts';
import { runAlong } from './along.ts';
import type { Runner } from './client.ts';
import { WAKE_CHANNEL } from './wake.ts';

/** Runs one named statement and answers its rows. */
export type Run = (
  runner: Runner,
  id: string,
  text: string,
  values: unknown[],
  rows: number,
  /** Of the prepared statement, where it is not the id; null: it is not kept. */
  name?: string | null,
) => Promise<unknown[][]>;

const keyOf = ({ columns, identity }: RenderedWrite, { row }: Write): string =>
  JSON.stringify(identity.map((at) => row[columns[at]?.key ?? '']));

/**
 * The rows in rounds of differing identity. One statement applies only one of two rows that mean the same target, so
 * each further one waits for a statement of its own, as it would on SQLite.
 */
const rounds = (rendered: RenderedWrite, writes: readonly Write[]): readonly (readonly Write[])[] => {
  if (rendered.identity.length === 0 || writes.length < 2) return [writes];
  const seen = new Map<string, number>();
  const made: Write[][] = [];
  for (const one of writes) {
    const key = keyOf(rendered, one);
    const at = seen.get(key) ?? 0;
    seen.set(key, at + 1);
    const round = made[at];
    if (round) round.push(one);
    else made.push([one]);
  }
  return made;
};

/** Tags of the rows without effect, from what the statement returned about those that had one. */
const missed = (rendered: RenderedWrite, writes: readonly Write[], answers: readonly unknown[][]): Tag[] => {
  if (rendered.returns === 'ordinal') {
    const hit = new Set(answers.map(([ordinal]) => Number(ordinal)));
    return writes.filter((_, at) => !hit.has(at + 1)).map(({ tag }) => tag);
  }
  const decode = (answer: readonly unknown[]): unknown[] =>
    rendered.identity.map((at, index) => rendered.columns[at]?.decode(answer[index]));
  const hit = new Set(answers.map((answer) => JSON.stringify(decode(answer))));
  return writes.filter((one) => !hit.has(keyOf(rendered, one))).map(({ tag }) => tag);
};

/**
 * Runs a plan's statements inside the open transaction and answers the tags whose guards failed; then the caller rolls
 * back. Throws StorageError.
 */
export const writeSetRunner = (
  run: Run,
  /** The injected moment; null: the server's own. */
  fixedNow: () => string | null,
): ((client: Runner, plan: WriteSet) => Promise<ReadonlySet<Tag>>) => {
  const rendered = once((bulk: BulkWrite): RenderedWrite => renderWrite('postgres', bulk));
  const applyRows = async (client: Runner, bulk: BulkWrite, rows: readonly Write[], failed: Set<Tag>) => {
    const statement = rendered(bulk);
    if (statement.returns === 'count') {
      for (const { row, tag } of rows) {
        const values = statement.columns.map((column) => column.encode(row[column.key]));
        const [made] = await run(client, statement.id, statement.text, values, 1, null);
        if (statement.isGuarded && made?.[0] !== row['rows']) failed.add(tag);
      }
      return;
    }
    for (const round of rounds(statement, rows)) {
      const values: unknown[] = statement.columns.map((column) =>
        round.map(({ row }) => column.encode(row[column.key])),
      );
      for (let moment = 0; moment < statement.moments; moment += 1) values.push(fixedNow());
      const name = statement.isKept ? statement.id : null;
      const answers = await run(client, statement.id, statement.text, values, round.length, name);
      if (!statement.isGuarded) continue;
      for (const tag of missed(statement, round, answers)) failed.add(tag);
    }
  };
  return async (client, plan) => {
    const failed = new Set<Tag>();
    try {
      for (const [bulk, rows] of byStatement(plan)) await applyRows(client, bulk, rows, failed);
    } catch (error) {
      // What ran after a failed guard stood on a row that is not there; the plan is made again anyway.
      if (failed.size === 0 || isRetryable(error) || isUnavailable(error)) throw error;
    }
    if (failed.size === 0 && plan.along) await runAlong(client, plan);
    if (failed.size === 0 && plan.wakes && plan.wakes.length > 0)
      await run(client, 'wake', 'select pg_notify($1, t) from unnest($2::text[]) as t', [WAKE_CHANNEL, plan.wakes], 1);
    return failed;
  };
};
