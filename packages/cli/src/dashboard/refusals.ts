import type { Config } from '../config.ts';
import type { Services } from '../services.ts';

/** How long the service may take to tell its figures, in milliseconds; ours: less than what is between two looks. */
const ANSWER_MS = 500;
const COUNT = /^beckon_http_request_seconds_count\{([^}]*)\} (\d+)$/;
const ROUTE = /(?:^|,)route="([^"]*)"/;

/** Calls that were refused for their rate since the service began, most of them first. */
export type Refusals = readonly { readonly route: string; readonly count: number }[];

/** What the figures of a service say of answers 429. Throws nothing. */
export const refusalsIn = (text: string): Refusals => {
  const routes = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, labels = '', count = '0'] = COUNT.exec(line) ?? [];
    if (!labels.includes('status="429"')) continue;
    const route = ROUTE.exec(labels)?.[1] ?? 'unknown';
    routes.set(route, (routes.get(route) ?? 0) + Number(count));
  }
  return [...routes].map(([route, count]) => ({ route, count })).sort((a, b) => b.count - a.count);
};

/** Asks the service of this configuration; null: it keeps no figures, or does not answer. Throws nothing. */
export const readRefusals = async (
  { metrics }: Pick<Config, 'metrics'>,
  { fetch }: Pick<Services, 'fetch'>,
): Promise<Refusals | null> => {
  if (metrics === null) return null;
  const { host, port, token } = metrics;
  // Who listens everywhere is asked here.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/metrics`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return answer.ok ? refusalsIn(await answer.text()) : null;
  } catch {
    return null;
  }
};
