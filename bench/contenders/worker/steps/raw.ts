// Statements of the driver with the product's texts: one transaction writes the results of the last claim's runs, each
// with the row of its step, and claims the next 256.
import pg from 'pg';
import { tablesOf } from '../../../../packages/core/src/app/tables.ts';
import { RUNS } from '../../../../packages/core/src/automation/runs/start.ts';
import { runStatements } from '../../../../packages/core/src/automation/runs/statements.ts';
import { checkpoints } from '../../../../packages/core/src/database/sqlite/checkpoint.ts';
import { openConnection } from '../../../../packages/core/src/database/sqlite/connection.ts';
import { claimable, renderClaim } from '../../../../packages/core/src/database/statements/claim.ts';
import { renderWrite } from '../../../../packages/core/src/database/statements/render.ts';
import { STEPS } from '../../../lib/fixtures.ts';
import { BATCH, LEASE_MS } from '../../store/rows.ts';
import type { Side } from '../side.ts';
import type { Runs } from './runs.ts';

/** The part of a claimed run from which its next state is made. */
type Leased = {
  readonly scope_id: number;
  readonly id: string;
  readonly person: string;
  readonly cursor: string;
  readonly fence: number;
};
type Values = Readonly<Record<string, unknown>>;

const textsOf = (dialect: 'sqlite' | 'postgres') => {
  const tables = tablesOf(dialect);
  const hot = runStatements(tables);
  return {
    claim: renderClaim(dialect, claimable(RUNS, tables.runs)).claim,
    advance: renderWrite(dialect, hot.advance),
    record: renderWrite(dialect, hot.recordStep),
  };
};

/** The next state of a run, and the finished step; `now` by the database's clock. */
const tookStep = ({ scope_id: scopeId, id, person, cursor, fence }: Leased, now: number | string): [Values, Values] => {
  const isLast = cursor === String(STEPS - 1);
  const next = isLast
    ? { status: 'completed', outcome: 'ok', cursor, completedAt: now }
    : { status: 'running', cursor: String(Number(cursor) + 1), dueAt: now };
  const step = { type: 'update_profile', outcome: 'ok', startedAt: now, finishedAt: now };
  return [
    { ...next, attempt: 1, context: '{}', scopeId, id, fence, person },
    { ...step, scopeId, runId: id, path: cursor, attempt: 1 },
  ];
};

/** A value as it is bound: a missing one is null. */
const bound = (values: Values, { key }: { readonly key: string }): unknown => values[key] ?? null;

const onSqlite = (path: string): (() => Promise<number>) => {
  const connection = openConnection(path, 'full');
  checkpoints(connection);
  const { claim, advance, record } = textsOf('sqlite');
  const [begin, commit] = [connection.prepare('begin immediate'), connection.prepare('commit')];
  const [claiming, advancing, recording] = [claim, advance.text, record.text].map((text) => connection.prepare(text));
  const params = { now: null, lease: LEASE_MS, limit: BATCH };
  return async () => {
    let steps = 0;
    let leased: readonly Leased[] = [];
    do {
      begin.run();
      const now = Date.now();
      for (const run of leased) {
        const [state, step] = tookStep(run, now);
        if (advancing?.run(...advance.columns.map((column) => bound(state, column))).changes !== 1)
          throw new Error('a guard failed');
        recording?.run(...record.columns.map((column) => bound(step, column)));
      }
      // Safe: the statement returns whole rows of the table.
      leased = (claiming?.all(params) ?? []) as Leased[];
      commit.run();
      steps += leased.length;
    } while (leased.length > 0);
    return steps;
  };
};

const onPostgres = async (connectionString: string): Promise<() => Promise<number>> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { claim, advance, record } = textsOf('postgres');
  const arrays = (columns: typeof advance.columns, rows: readonly Values[]) =>
    columns.map((column) => rows.map((row) => bound(row, column)));
  return async () => {
    let steps = 0;
    let leased: readonly Leased[] = [];
    do {
      await client.query('begin');
      if (leased.length > 0) {
        const now = new Date().toISOString();
        const took = leased.map((run) => tookStep(run, now));
        const states = arrays(
          advance.columns,
          took.map(([state]) => state),
        );
        const { rowCount } = await client.query(advance.text, states);
        if (rowCount !== leased.length) throw new Error('a guard failed');
        const taken = arrays(
          record.columns,
          took.map(([, step]) => step),
        );
        await client.query({ name: 'record', text: record.text, values: taken });
      }
      leased = (await client.query<Leased>({ name: 'claim', text: claim, values: [null, LEASE_MS, BATCH] })).rows;
      await client.query('commit');
      steps += leased.length;
    } while (leased.length > 0);
    return steps;
  };
};

/** With its own connection. */
export const rawSteps = async ({ fill, check }: Runs, url: string): Promise<Side> => ({
  fill: (count) => fill(count / STEPS),
  run: url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : await onPostgres(url),
  check,
});
