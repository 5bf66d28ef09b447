import type { Beckon, Log } from '@beckon/core';
import type { Answered, Metrics } from '@beckon/http';
import { Option } from 'commander';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import type { Config } from '../config.ts';
import type { Seeded } from '../dev.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import type { Listening } from '../services.ts';
import { listenForSignals } from '../shutdown.ts';
import { described } from '../table/noun.ts';

type ServeFlags = CommonFlags & { readonly verbose?: boolean };

const listening = async (
  context: Context,
  beckon: Beckon,
  config: Config,
  log: Log,
  onAnswered: Answered | undefined,
  metrics: Metrics | null,
): Promise<Listening> => {
  const { host, port, trustedProxies } = config;
  try {
    return await context.services.listen(beckon, {
      host,
      port,
      log,
      trustedProxies,
      onAnswered,
      onLoad: metrics?.loaded,
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new CliError(EXIT.negative, `Port ${port} of ${host} is in use.`, {
        hint: 'Stop the program that uses it, or pass another port: --port 8081, or --port 0 for any free port.',
        cause: error,
      });
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CliError(EXIT.negative, `Cannot listen on ${host}, port ${port} (${code}).`, {
        hint: 'Pass another address with --host and --port. Ports below 1024 need a privileged user.',
        cause: error,
      });
    }
    throw error;
  }
};

/** The observer of responses: metrics, and with `--verbose` the log, which contains routes and no ids. */
const responseObserver = ({ verbose }: ServeFlags, log: Log, metrics: Metrics | null): Answered | undefined => {
  if (verbose !== true) return metrics?.answered;
  return (route, method, status, seconds) => {
    log.info({ method, route, status, ms: Math.round(seconds * 1_000) }, 'request');
    metrics?.answered(route, method, status, seconds);
  };
};

const configured = async (context: Context, flags: CommonFlags): Promise<Config> => {
  const { loadConfig } = await import('../config.ts');
  const { requireDatabase } = await import('../session.ts');
  const config = loadConfig(context.io, flags);
  if (flags.dev === true) {
    const { prepareDevFolder } = await import('../dev.ts');
    return prepareDevFolder(config, context.services);
  }
  requireDatabase(config, context.io);
  return config;
};

const seeded = async (flags: CommonFlags, beckon: Beckon): Promise<Seeded | null> =>
  flags.dev === true ? (await import('../dev.ts')).seed(beckon) : null;

const announce = async (
  { io, version }: Context,
  flags: CommonFlags,
  config: Config,
  ready: { readonly url: string; readonly seeded: Seeded | null; readonly tookMs: number },
): Promise<void> => {
  const { shownDb } = await import('../config.ts');
  const { readyLines } = await import('../ready.ts');
  const { isWorkerEnabled } = config;
  const db = shownDb(config.db, io.cwd);
  const data = { version, db, url: ready.url, isWorkerEnabled, tenant: ready.seeded?.tenant ?? null };
  createOutput(io, flags).answer(data, readyLines({ version, db, isWorkerEnabled, ...ready }));
};

const serve = async (context: Context, flags: ServeFlags): Promise<undefined> => {
  const { io } = context;
  const startedAt = io.now().getTime();
  const config = await configured(context, flags);
  const { createLogger } = await import('../logger.ts');
  const { openBeckon } = await import('../session.ts');
  const shutdown = listenForSignals(io, config.shutdownTimeoutMs);
  try {
    const log = await createLogger(io, config);
    const { openMetrics, serveMetrics } = await import('../metrics.ts');
    const metrics = await openMetrics(context, config);
    const beckon = await openBeckon(context, config, config.migrate, log, metrics);
    let server: Listening | undefined;
    let closeMetrics: (() => Promise<void>) | undefined;
    try {
      server = await listening(context, beckon, config, log, responseObserver(flags, log, metrics), metrics);
      closeMetrics = await serveMetrics(context, config, metrics, beckon, log);
      const seed = await seeded(flags, beckon);
      if (config.isWorkerEnabled) beckon.worker.start();
      await announce(context, flags, config, {
        url: server.url,
        seeded: seed,
        tookMs: io.now().getTime() - startedAt,
      });
      const signal = await shutdown.requested;
      log.info({ signal }, 'draining');
    } finally {
      await shutdown.finish(async (timeoutMs) => {
        const closeServer = async (): Promise<void> => {
          if ((await server?.close(timeoutMs)) === false) log.warn({}, 'requests were aborted at the time limit');
        };
        await Promise.all([closeServer(), beckon.worker.stop({ timeoutMs }), closeMetrics?.()]);
        await beckon.close();
      });
    }
    log.info({}, 'stopped');
  } finally {
    shutdown.dispose();
  }
  return undefined;
};

/** `beckon serve`: the HTTP API, by default with a worker in the process. */
export const register: Register = (program, context) => {
  const command = described(
    program.command('serve'),
    'Start the server (API and worker)',
    '--dev',
    '--no-worker --port 8096',
  );
  outputOptions(databaseOptions(command))
    .option('--host <address>', 'Listen address (BECKON_HOST, default: 127.0.0.1)')
    .option('--port <number>', 'Port, 0 for any (BECKON_PORT, default: 8080)')
    .option('--trusted-proxies <number>', 'Number of reverse proxies in front (default: 0)')
    .option('--worker', 'Run the worker in this process (default)')
    .option('--no-worker', 'API only; run "beckon worker" elsewhere')
    .addOption(new Option('--migrate <mode>', 'Migrations (default: auto)').choices(['auto', 'check', 'off']))
    .option('--shutdown-timeout <time>', 'Grace period (default: 20s)')
    .option('--verbose', 'Log each request')
    .option('--dev', 'Create ./.beckon with keys and an example workflow')
    .action(act<ServeFlags>(context, (flags) => serve(context, flags)));
};
