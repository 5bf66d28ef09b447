import { byStatement, type Tag, type Write, type WriteSet } from '../commit/write-set.ts';
import { once } from '../drizzle.ts';
import { isRetryable, isUnavailable } from '../errors.ts';
import type { BulkWrite } from '../statements/bulk.ts';
import { renderWrite } from '../statements/render.ts';
import type { RenderedWrite } from '../statements/rendered.ts';
import { runAlong } from './along.ts';
import type { Runner } from './runner.ts';
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

/** One statement of a plan, and whose guards have failed by its answer. */
type Step = { ask(): Promise<unknown[][]>; missed(answers: readonly unknown[][]): readonly Tag[] };
const WAKE = 'select pg_notify($1, t) from unnest($2::text[]) as t';

const inTurn = async (steps: readonly Step[], failed: Set<Tag>): Promise<void> => {
  for (const { ask, missed } of steps) for (const tag of missed(await ask())) failed.add(tag);
};

/** All are asked at once, and so take one way to the server and back. Ends when all of them are answered. */
const together = async (steps: readonly Step[], failed: Set<Tag>): Promise<void> => {
  const answers = await Promise.allSettled(steps.map(({ ask }) => ask()));
  for (const [at, { missed }] of steps.entries()) {
    const answer = answers[at];
    // The first is the reason; those behind it only say that the transaction has failed.
    if (answer?.status === 'rejected') throw answer.reason;
    for (const tag of missed(answer?.value ?? [])) failed.add(tag);
  }
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
  const countStep = (client: Runner, statement: RenderedWrite, { row, tag }: Write): Step => ({
    ask: async () => {
      const values = statement.columns.map((column) => column.encode(row[column.key]));
      return run(client, statement.id, statement.text, values, 1, null);
    },
    missed: ([made]) => (statement.isGuarded && made?.[0] !== row['rows'] ? [tag] : []),
  });
  const rowsStep = (client: Runner, statement: RenderedWrite, round: readonly Write[]): Step => ({
    ask: async () => {
      const values: unknown[] = statement.columns.map((column) =>
        round.map(({ row }) => column.encode(row[column.key])),
      );
      for (let moment = 0; moment < statement.moments; moment += 1) values.push(fixedNow());
      const name = statement.isKept ? statement.id : null;
      return run(client, statement.id, statement.text, values, round.length, name);
    },
    missed: (answers) => (statement.isGuarded ? missed(statement, round, answers) : []),
  });
  const stepsOf = (client: Runner, plan: WriteSet): Step[] => {
    const steps = byStatement(plan).flatMap(([bulk, rows]) => {
      const statement = rendered(bulk);
      return statement.returns === 'count'
        ? rows.map((row) => countStep(client, statement, row))
        : rounds(statement, rows).map((round) => rowsStep(client, statement, round));
    });
    const { wakes = [] } = plan;
    if (wakes.length === 0) return steps;
    return [...steps, { ask: async () => run(client, 'wake', WAKE, [WAKE_CHANNEL, wakes], 1), missed: () => [] }];
  };
  return async (client, plan) => {
    const failed = new Set<Tag>();
    const steps = stepsOf(client, plan);
    try {
      await (client.isPipelined ? together : inTurn)(steps, failed);
    } catch (error) {
      // What ran after a failed guard stood on a row that is not there; the plan is made again anyway.
      if (failed.size === 0 || isRetryable(error) || isUnavailable(error)) throw error;
    }
    if (failed.size === 0 && plan.along) await runAlong(client, plan);
    return failed;
  };
};
