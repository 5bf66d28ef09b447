import type { Beckon, Scope } from '@beckon/core';
import type { Config } from '../config.ts';
import type { Services } from '../services.ts';
import { type Finding, finding } from './finding.ts';

const CHECK = 'placeholder ids';
/** How long the metrics may take, in milliseconds. Chosen: as for the public URL. */
const ANSWER_MS = 5_000;
/** One line of the metric, as Prometheus reads it. */
const LINE = /^beckon_placeholder_user_ids_total\{source="(\w+)"\} (\d+)$/gm;
/** Addresses to listen on that are no addresses to connect to. */
const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

/**
 * How many placeholder user ids clients have sent to the running service, which counts them in its metrics. Throws nothing.
 */
export const sentPlaceholders = async (
  { metrics }: Pick<Config, 'metrics'>,
  fetch: Services['fetch'],
): Promise<Finding> => {
  if (metrics === null)
    return finding('work', CHECK, 'skip', 'those that clients send are counted with metrics.port set');
  const { host, port, token } = metrics;
  const address = EVERYWHERE.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${address}:${port}/metrics`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    if (!answer.ok) return finding('work', CHECK, 'skip', `the metrics answer ${answer.status}`);
    const sent = [...text.matchAll(LINE)].filter(([, , count]) => Number(count) > 0);
    if (sent.length === 0) return finding('work', CHECK, 'ok', 'no client has sent one since the service started');
    const bySource = sent.map(([, source, count]) => `${count} ${source}`).join(', ');
    const message = `clients sent user ids such as "undefined" since the service started (${bySource}): its log names the project`;
    return finding('work', CHECK, 'warn', message);
  } catch {
    return finding('work', CHECK, 'skip', 'the metrics of the service do not answer: is it up?');
  }
};

/** Users of a project whose id is a placeholder, stored by a version that took such ids. Throws what the database throws. */
export const storedPlaceholders = async (
  { profiles }: Pick<Beckon, 'profiles'>,
  scope: Scope,
  place: string,
): Promise<Finding[]> => {
  const found = await profiles.placeholders(scope);
  if (found.length === 0) return [];
  const named = found
    .map(
      ({ userId, devices }) => `${JSON.stringify(userId)}: ${devices} active ${devices === 1 ? 'device' : 'devices'}`,
    )
    .join(', ');
  const message = `several people may be behind one user (${named}): beckon profiles erase USER --env ${scope.environment}`;
  return [finding('work', `${place} ${CHECK}`, 'warn', message)];
};
