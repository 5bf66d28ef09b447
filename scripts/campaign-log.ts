import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page with a line per campaign run. */
export const CAMPAIGN_LOG = fileURLToPath(new URL('../docs/internals/campaigns.md', import.meta.url));

/** One row of the table of runs. `date` is a day in UTC. */
export type LogRow = {
  readonly date: string;
  readonly campaign: string;
  readonly commit: string;
  readonly figures: string;
};

const ROW = /^\| (\d{4}-\d{2}-\d{2}) \| ([a-z]+) \| ([0-9a-f]+) \| (.*) \|$/;
const KNOWN = /^\| ([a-z]+) \| (\d+) \| /;
const DAY_MS = 86_400_000;

/** The rows of the table, in the order of the page. */
export const rowsOf = (page: string): LogRow[] =>
  page.split('\n').flatMap((line) => {
    const [, date, campaign, commit, figures] = ROW.exec(line) ?? [];
    return date && campaign && commit && figures ? [{ date, campaign, commit, figures }] : [];
  });

/** Seeds that the page lists as failing on a landed commit: they do not stop an unrelated change. */
export const knownSeedsOf = (page: string, campaign: string): number[] =>
  page.split('\n').flatMap((line) => {
    const [, name, seed] = KNOWN.exec(line) ?? [];
    return name === campaign ? [Number(seed)] : [];
  });

/** The page with a new row after the last one of its table. Throws if the page has no table of runs. */
export const withRow = (page: string, { date, campaign, commit, figures }: LogRow): string => {
  const lines = page.split('\n');
  const last = lines.findLastIndex((line) => ROW.test(line) || line === '|---|---|---|---|');
  if (last < 0) throw new Error('campaigns.md has no table of runs');
  return lines.toSpliced(last + 1, 0, `| ${date} | ${campaign} | ${commit} | ${figures} |`).join('\n');
};

export const readLog = (): string => readFileSync(CAMPAIGN_LOG, 'utf8');

export const appendRow = (row: LogRow): void => writeFileSync(CAMPAIGN_LOG, withRow(readLog(), row));

/** A line per campaign: how many days ago it last ran, or that it never did. */
export const agesOf = (page: string, campaigns: readonly string[], now: Date): string[] => {
  const rows = rowsOf(page);
  return campaigns.map((name) => {
    const last = rows.findLast(({ campaign }) => campaign === name);
    if (!last) return `campaign ${name}: never run`;
    const days = Math.floor((now.getTime() - Date.parse(last.date)) / DAY_MS);
    return `campaign ${name}: ${days} days ago on ${last.commit}: ${last.figures}`;
  });
};
