// Runs of a workflow of three steps that change nothing, all due at the first one.
import { getTableColumns } from 'drizzle-orm';
import { tablesOf } from '../../../../packages/core/src/app/tables.ts';
import { STARTS, STEPS, threeSteps, userId } from '../../../lib/fixtures.ts';
import { type ByHand, byHand, numberOf } from '../../people/by-hand.ts';
import { makeFixture, type Opened, openFixture } from '../../people/fixture.ts';
import { numbersTo, userOf } from '../../people/people.ts';
import type { Start } from '../side.ts';

const PEOPLE = 2_000;

export type Runs = Opened & {
  readonly hand: ByHand;
  /** Adds this many runs beside those of earlier turns, which are over. */
  fill(count: number): Promise<void>;
  /** Throws unless every run took its three steps exactly once. */
  check(): Promise<void>;
};

const idOf = ({ dialect }: ByHand, turn: number): string =>
  dialect === 'sqlite'
    ? `printf('01970000-%04x-7000-8000-%012x', ${turn}, n)`
    : `('01970000-' || lpad(to_hex(${turn}), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;

/** The product starts one run, which all others are copies of. */
export const openRuns = async ({ url, root }: Pick<Start, 'url' | 'root'>): Promise<Runs> => {
  const opened = await openFixture(root, url, await makeFixture(root, url, PEOPLE, []));
  const { beckon, scope } = opened;
  const bundle = { version: 1, exportedAt: '2026-01-05T08:00:00.000Z', workflows: [threeSteps] } as const;
  await beckon.workflows.importBundle(scope, bundle);
  await beckon.events.track(scope, { module: 'shop', eventType: STARTS, userId: userId(0) });
  const hand = await byHand(url);
  await hand.run('create table bench_run as select * from runs');
  await hand.run('delete from runs');
  const names = Object.values(getTableColumns(tablesOf(hand.dialect).runs)).map(({ name }) => name);
  let turns = 0;
  let total = 0;
  return {
    ...opened,
    hand,
    fill: async (count) => {
      turns += 1;
      total += count;
      const id = idOf(hand, turns);
      const person = `'u:' || ${userOf(hand, `n % ${PEOPLE}`)}`;
      const changed: Readonly<Record<string, string>> = { id, trigger_event_id: id, person };
      const columns = names.map((name) => changed[name] ?? name).join(', ');
      await hand.run(
        `insert into runs (${names.join(', ')}) ${numbersTo(count)} select ${columns} from bench_run cross join numbers order by n`,
      );
    },
    check: async () => {
      const over = await numberOf(
        hand,
        `select count(*) from runs where status = 'completed' and outcome = 'ok' and due_at is null and cursor = '${STEPS - 1}'`,
      );
      const steps = await numberOf(hand, `select count(*) from run_steps where attempt = 1 and outcome = 'ok'`);
      if (over !== total || steps !== STEPS * total)
        throw new Error(`${over} of ${total} runs are over, and ${steps} steps were taken`);
    },
  };
};
