// npm run simulate -- [--seeds N] [--from N]: years of workflows by seed, one process a core, on SQLite; one in fifty of
// them on PostgreSQL. What fails names its seed, and that seed alone fails again: --seeds 1 --from SEED.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5000' }, from: { type: 'string', default: '1' } },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(from)) {
  process.stderr.write('--seeds and --from are whole numbers.\n');
  process.exit(2);
}

const year = (project, first, count) =>
  new Promise((resolve) => {
    const child = spawn('vitest', ['run', '--project', project, 'packages/core/src/runs/simulator'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, BECKON_SIMULATOR_SEEDS: String(count), BECKON_SIMULATOR_FIRST: String(first) },
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.on('close', (code) => resolve({ code, said }));
  });

const shares = Math.min(availableParallelism(), seeds);
const each = Math.ceil(seeds / shares);
const work = [];
for (let first = from; first < from + seeds; first += each)
  work.push(year('contract-sqlite', first, Math.min(each, from + seeds - first)));
const ended = await Promise.all(work);
ended.push(await year('contract-postgres', from, Math.ceil(seeds / 50)));
for (const { code, said } of ended)
  process.stdout.write(code === 0 ? `${/simulator .*/.exec(said)?.[0] ?? said}\n` : said);
process.exitCode = ended.some(({ code }) => code !== 0) ? 1 : 0;
