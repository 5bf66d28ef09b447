import type { Beckon, Log } from '@beckon/core';
import type { Metrics } from '@beckon/http';
import type { Context } from './command-line.ts';
import type { Config } from './config.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** The figures of a process that is configured to keep some; null: it is not. */
export const openMetrics = async ({ services }: Pick<Context, 'services'>, config: Config): Promise<Metrics | null> =>
  config.metrics === null ? null : services.metrics();

/** Serves them on their own port; answers how to stop. Throws CliError where the port cannot be had. */
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
    throw new CliError(EXIT.negative, `The metrics cannot be served on ${host}, port ${port}.`, {
      hint: 'Choose another with metrics.port (BECKON_METRICS_PORT).',
      cause: error,
    });
  }
};
