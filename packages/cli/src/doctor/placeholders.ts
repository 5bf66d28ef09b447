import type { Beckon, Scope } from '@beckon/core';
import type { Config } from '../config.ts';
import type { Services } from '../services.ts';
import { type Finding, finding } from './finding.ts';

const CHECK = 'placeholder ids';
/** Timeout of the metrics, in milliseconds. Chosen: as for the public URL. */
const ANSWER_MS = 5_000;
/** One line of the metric, as Prometheus reads it. */
const LINE = /^beckon_placeholder_user_ids_total\{source="(\w+)"\} (\d+)$/gm;
/** Listen addresses that mean all interfaces. */
const ALL_INTERFACES = new Set(['0.0.0.0', '::', '']);

/**
 * Placeholder user ids that clients sent to the running server, from its metrics. Throws nothing.
 */
export const sentPlaceholders = async (
  { metrics }: Pick<Config, 'metrics'>,
  fetch: Services['fetch'],
): Promise<Finding> => {
  if (metrics === null) return finding('work', CHECK, 'skip', 'not counted: set metrics.port');
  const { host, port, token } = metrics;
  const address = ALL_INTERFACES.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${address}:${port}/metrics`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    if (!answer.ok) return finding('work', CHECK, 'skip', `the metrics returned status ${answer.status}`);
    const sent = [...text.matchAll(LINE)].filter(([, , count]) => Number(count) > 0);
    if (sent.length === 0) return finding('work', CHECK, 'ok', 'no client sent one since the server started');
    const bySource = sent.map(([, source, count]) => `${count} ${source}`).join(', ');
    const message = `clients sent user ids such as "undefined" since the server started (${bySource}): see the project in its log`;
    return finding('work', CHECK, 'warn', message);
  } catch {
    return finding('work', CHECK, 'skip', 'the metrics do not answer: check that the server runs');
  }
};

/** Stored users whose id is a placeholder, from versions that accepted such ids. Throws the errors of the database. */
export const storedPlaceholders = async (
  { profiles }: Pick<Beckon, 'profiles'>,
  scope: Scope,
  place: string,
): Promise<Finding[]> => {
  const { data: found } = await profiles.placeholders(scope);
  if (found.length === 0) return [];
  const named = found
    .map(
      ({ userId, devices }) => `${JSON.stringify(userId)}: ${devices} active ${devices === 1 ? 'device' : 'devices'}`,
    )
    .join(', ');
  const message = `one profile may mix several users (${named}): beckon profiles erase USER --env ${scope.environment}`;
  return [finding('work', `${place} ${CHECK}`, 'warn', message)];
};
