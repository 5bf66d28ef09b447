/*
 * npm run campaign -- NAME [ARGUMENT...] [--from PART]: long checks by name, each within an hour. Writes one line into
 * docs/internals/campaigns.md. With --sample it runs a few parts and writes nothing; --ages says when each last ran.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { agesOf, appendRow, knownSeedsOf, readLog } from './campaign-log.ts';
import type { Campaign, Part } from './campaign-parts.ts';
import { CAMPAIGNS } from './campaigns.ts';
import { currentCommit, movingSeed } from './moving-seed.ts';
import { stepRunner } from './steps.ts';

const MAX_SECONDS = 3_600;
/** A part begins only if the longest one so far, and this much more, still fits. */
const SPARE_SECONDS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, sample: { type: 'boolean' }, ages: { type: 'boolean' } },
});
const [asked, ...names] = positionals;

const usage = (): string =>
  [
    'npm run campaign -- NAME [--from PART]',
    '',
    ...Object.entries(CAMPAIGNS).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
    '  all        every campaign, one after the other',
  ].join('\n');

type Result = { readonly isComplete: boolean; readonly figures: string };

const runCampaign = async (name: string, campaign: Campaign, from: string | undefined): Promise<Result> => {
  const seed = movingSeed();
  const all = values.sample ? (campaign.sample?.(seed) ?? []) : campaign.parts(seed, names);
  const first = from === undefined ? 0 : all.findIndex((part) => part.name === from);
  if (first < 0) throw new Error(`no part "${from}"; there are: ${all.map((part) => part.name).join(', ')}`);
  const parts = all.slice(first);
  const { step, failed, cpu, seconds } = stepRunner({ deadlineSeconds: MAX_SECONDS });
  console.log(`campaign ${name}, seed ${seed}, ${parts.length} parts`);
  for (const [program, ...packages] of (!values.sample && campaign.needs) || [])
    if (!existsSync(program) && !existsSync(`/usr/bin/${program}`))
      await step(`apt-get install ${packages.join(' ')}`, ['bash', 'scripts/apt-install.sh', ...packages]);

  const outputs: string[] = [];
  const left = [...parts];
  let longest = 0;
  const work = async (): Promise<void> => {
    for (let part: Part | undefined; seconds() + longest + SPARE_SECONDS < MAX_SECONDS; ) {
      part = left.shift();
      if (!part) return;
      const begun = seconds();
      const { output } = await step(`${name}: ${part.name}`, part.command, {
        env: {
          BECKON_TEST_SEED: String(seed),
          BECKON_TEST_KNOWN_SEEDS: knownSeedsOf(readLog(), name).join(','),
          ...part.env,
        },
        ...(campaign.show && { show: campaign.show }),
      });
      outputs.push(output);
      longest = Math.max(longest, seconds() - begun);
    }
  };
  await Promise.all(Array.from({ length: campaign.jobs }, work));

  const [next] = left;
  if (next) console.log(`The hour is over; go on with: npm run campaign -- ${name} --from "${next.name}"`);
  const figures = [
    campaign.figures(outputs),
    ...(failed.length > 0 ? [`failed: ${failed.join(', ')}`] : []),
    ...(from === undefined ? [] : [`from "${from}"`]),
    ...(next ? [`up to "${next.name}"`] : []),
    `seed ${seed}`,
    `${seconds().toFixed(0)} s, ${cpu().toFixed(0)} CPU s`,
  ].join('; ');
  console.log(`campaign ${name}: ${figures}`);
  if (failed.length > 0) process.exitCode = 1;
  return { isComplete: next === undefined, figures };
};

const run = async (name: string, from?: string): Promise<void> => {
  const campaign = CAMPAIGNS[name];
  if (!campaign) throw new Error(`no campaign "${name}"\n${usage()}`);
  const { figures } = await runCampaign(name, campaign, from);
  const date = new Date().toISOString().slice(0, 10);
  if (!values.sample) appendRow({ date, campaign: name, commit: currentCommit(), figures });
};

if (values.ages) for (const line of agesOf(readLog(), Object.keys(CAMPAIGNS), new Date())) console.log(line);
else if (asked === undefined) console.log(usage());
else if (asked === 'all') for (const name of Object.keys(CAMPAIGNS)) await run(name);
else await run(asked, values.from);
