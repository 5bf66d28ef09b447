import type { Config } from '../config.ts';
import type { Services } from '../services.ts';

/** Timeout of the metrics request, in milliseconds. Chosen: below the refresh interval. */
const ANSWER_MS = 500;
const COUNT = /^beckon_http_request_seconds_count\{([^}]*)\} (\d+)$/;
const ROUTE = /(?:^|,)route="([^"]*)"/;

/** Rate-limited requests per route since the server started, most frequent first. */
export type Refusals = readonly { readonly route: string; readonly count: number }[];

/** Parses responses with status 429 from metrics text. Throws nothing. */
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

/** Reads the metrics of the configured server; null: metrics are off or do not answer. Throws nothing. */
export const readRefusals = async (
  { metrics }: Pick<Config, 'metrics'>,
  { fetch }: Pick<Services, 'fetch'>,
): Promise<Refusals | null> => {
  if (metrics === null) return null;
  const { host, port, token } = metrics;
  // A server that listens on all addresses is reachable on loopback.
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
