import type { Beckon, Log } from '@beckon/core';
import type { Metrics } from '@beckon/http';
import type { Context } from './command-line.ts';
import type { Config } from './config.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** The metrics of this process; null: they are off. */
export const openMetrics = async ({ services }: Pick<Context, 'services'>, config: Config): Promise<Metrics | null> =>
  config.metrics === null ? null : services.metrics();

/** Serves metrics on their own port; returns a function that stops it. Throws CliError if the port is unavailable. */
export const serveMetrics = async (
  { services }: Pick<Context, 'services'>,
  config: Config,
  metrics: Metrics | null,
  beckon: Beckon,
  log: Log,
): Promise<() => Promise<void>> => {
  if (config.metrics === null || metrics === null) return async () => undefined;
  const { host, port } = config.metrics;
  try {
    const { url, close } = await services.listenMetrics(metrics, beckon, config.metrics);
    log.info({ url }, 'metrics');
    return close;
  } catch (error) {
    throw new CliError(EXIT.negative, `Cannot serve metrics on ${host}, port ${port}.`, {
      hint: 'Set another port with metrics.port (BECKON_METRICS_PORT).',
      cause: error,
    });
  }
};
