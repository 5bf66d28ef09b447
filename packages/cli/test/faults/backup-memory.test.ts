import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Place, place, preload } from '../beckon.ts';
import { withDatabases } from '../database-of.ts';

/** Numbers of 24 KB rows: a few megabytes, and several times the heap limit of Node. */
const ROWS = [500, 12_000] as const;
const HEAP_MB = 64;
/** Maximum difference of memory between both backups. Chosen: the noise between runs. */
const MORE_MB = 48;

const made: Place[] = [];
afterEach(async () => {
  for (const one of made.splice(0)) await one.remove();
});

const rowsText = (engine: 'sqlite' | 'postgres', count: number): string =>
  engine === 'sqlite'
    ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into active_hours select 1, i, 0, hex(randomblob(12000)) from n`
    : `insert into active_hours select 1, i, 0, repeat(md5(i::text), 750) from generate_series(1, ${count}) as i`;

/** The program prints its maximum resident memory in kilobytes at exit. */
const telling = preload(`process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`);
const node = [...telling, `--max-old-space-size=${HEAP_MB}`];

describe('the memory of a backup', () => {
  it.each(['sqlite', 'postgres'] as const)(
    'the memory of a backup does not grow with the database, on %s',
    async (engine) => {
      const peaks: { mb: number; backup: number; restore: number }[] = [];
      for (const count of ROWS) {
        const at = place();
        made.push(at);
        await withDatabases(at, engine, async (make) => {
          const [from, to] = [await make(), await make()];
          expect((await at.run(['init', '--db', from.url])).code).toBe(0);
          await from.query(rowsText(engine, count));
          const peakOf = async (args: readonly string[]): Promise<number> => {
            const { code, err } = await at.run(args, { node });
            expect([code, err]).toEqual([0, expect.stringMatching(/peak \d+$/)]);
            return Number(/peak (\d+)$/.exec(err)?.[1]) / 1_024;
          };
          const backup = await peakOf(['backup', 'one.backup']);
          const restore = await peakOf(['restore', 'one.backup', '--db', to.url]);
          expect((await to.query('select count(*) from active_hours')).map(([n]) => Number(n))).toEqual([count]);
          peaks.push({ mb: statSync(join(at.cwd, 'one.backup')).size / 2 ** 20, backup, restore });
        });
      }
      const shown = peaks.map(
        ({ mb, backup, restore }) =>
          `${mb.toFixed(0)} MB: ${backup.toFixed(0)} MB to make, ${restore.toFixed(0)} MB to restore`,
      );
      console.log(`backup on ${engine}, peak memory of the process with a heap of ${HEAP_MB} MB: ${shown.join('; ')}`);
      const [small, great] = peaks;
      if (!small || !great) throw new Error('nothing was measured');
      expect(great.mb).toBeGreaterThan(small.mb * 10);
      expect(great.backup - small.backup).toBeLessThan(MORE_MB);
      expect(great.restore - small.restore).toBeLessThan(MORE_MB);
    },
  );
});
