import { byStatement, type Tag, type Write, type WriteSet } from '../commit/write-set.ts';
import { once } from '../drizzle.ts';
import { isRetryable, isUnavailable } from '../errors.ts';
import type { BulkWrite } from '../statements/bulk.ts';
import { renderWrite } from '../statements/render.ts';
import type { RenderedWrite } from '../statements/rendered.ts';
import { runCommitHooks } from './commit-hooks.ts';
import type { Runner } from './runner.ts';
import { WAKE_CHANNEL } from './wake.ts';

/** Runs one named statement and returns its rows. */
export type Run = (
  runner: Runner,
  id: string,
  text: string,
  values: unknown[],
  rows: number,
  /** Name of the prepared statement, if it is not the id; null: not prepared. */
  name?: string | null,
) => Promise<unknown[][]>;

const keyOf = ({ columns, identity }: RenderedWrite, { row }: Write): string =>
  JSON.stringify(identity.map((at) => row[columns[at]?.key ?? '']));

/**
 * Groups rows into rounds in which each identity occurs once. One statement applies only one of two rows with the same
 * target, so each further row waits for another statement, as on SQLite.
 */
const rounds = (rendered: RenderedWrite, writes: readonly Write[]): readonly (readonly Write[])[] => {
  if (rendered.identity.length === 0 || writes.length < 2) return [writes];
  const seen = new Map<string, number>();
  const allRounds: Write[][] = [];
  for (const one of writes) {
    const key = keyOf(rendered, one);
    const at = seen.get(key) ?? 0;
    seen.set(key, at + 1);
    const round = allRounds[at];
    if (round) round.push(one);
    else allRounds.push([one]);
  }
  return allRounds;
};

/** Tags of the rows without effect, derived from the rows that the statement returned. */
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

/** One statement of a plan, and the guards that its result failed. */
type Step = { send(): Promise<unknown[][]>; missed(answers: readonly unknown[][]): readonly Tag[] };
const WAKE = 'select pg_notify($1, t) from unnest($2::text[]) as t';

const runInSequence = async (steps: readonly Step[], failed: Set<Tag>): Promise<void> => {
  for (const { send, missed } of steps) for (const tag of missed(await send())) failed.add(tag);
};

/** Sends all statements at once, so they take one round trip. Ends when all have been answered. */
const runPipelined = async (steps: readonly Step[], failed: Set<Tag>): Promise<void> => {
  const answers = await Promise.allSettled(steps.map(({ send }) => send()));
  for (const [at, { missed }] of steps.entries()) {
    const answer = answers[at];
    // The first error is the reason; later ones only report that the transaction has failed.
    if (answer?.status === 'rejected') throw answer.reason;
    for (const tag of missed(answer?.value ?? [])) failed.add(tag);
  }
};

/**
 * Runs a plan's statements inside the open transaction and returns the tags of failed guards; the caller then rolls
 * back. Throws StorageError.
 */
export const writeSetRunner = (
  run: Run,
  /** The injected time; null: the server's own. */
  fixedNow: () => string | null,
): ((client: Runner, plan: WriteSet) => Promise<ReadonlySet<Tag>>) => {
  const rendered = once((bulk: BulkWrite): RenderedWrite => renderWrite('postgres', bulk));
  const countStep = (client: Runner, statement: RenderedWrite, { row, tag }: Write): Step => ({
    send: async () => {
      const values = statement.columns.map((column) => column.encode(row[column.key]));
      return run(client, statement.id, statement.text, values, 1, null);
    },
    missed: ([allRounds]) => (statement.isGuarded && allRounds?.[0] !== row['rows'] ? [tag] : []),
  });
  const rowsStep = (client: Runner, statement: RenderedWrite, round: readonly Write[]): Step => ({
    send: async () => {
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
    return [...steps, { send: async () => run(client, 'wake', WAKE, [WAKE_CHANNEL, wakes], 1), missed: () => [] }];
  };
  return async (client, plan) => {
    const failed = new Set<Tag>();
    const steps = stepsOf(client, plan);
    try {
      await (client.isPipelined ? runPipelined : runInSequence)(steps, failed);
    } catch (error) {
      // Statements after a failed guard relied on a row that does not exist; the plan is repeated anyway.
      if (failed.size === 0 || isRetryable(error) || isUnavailable(error)) throw error;
    }
    if (failed.size === 0 && plan.hooks) await runCommitHooks(client, plan);
    return failed;
  };
};
