import type { Beckon, Log } from '@beckon/core';
import { Option } from 'commander';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { drainLimitMs, listenForSignals, type Shutdown } from '../shutdown.ts';
import { described } from '../table/noun.ts';

type WorkerFlags = { readonly once?: boolean; readonly drain?: boolean };

/** Runs due work, repeatedly unless `isOnce`, until nothing is due or a signal arrives. Returns the number of rows. */
const drainAll = async (
  { worker }: Pick<Beckon, 'worker'>,
  isOnce: boolean,
  { shutdown, timeoutMs, log }: { readonly shutdown: Shutdown; readonly timeoutMs: number; readonly log: Log },
): Promise<number> => {
  let isStopping = false;
  const stopOnSignal = async (): Promise<void> => {
    await shutdown.requested;
    isStopping = true;
    await worker.stop({ timeoutMs: drainLimitMs(timeoutMs) });
  };
  stopOnSignal().catch((error) => log.error({ error }, 'the worker could not be stopped'));
  for (let total = 0; ; ) {
    const handled = await worker.drain();
    total += handled;
    if (isOnce || isStopping || handled === 0) return total;
  }
};

const work = async (context: Context, flags: CommonFlags & WorkerFlags): Promise<undefined> => {
  const { io, version } = context;
  const { loadConfig, shownDb } = await import('../config.ts');
  const { createLogger } = await import('../logger.ts');
  const { openBeckon, requireDatabase } = await import('../session.ts');
  const config = loadConfig(io, flags);
  requireDatabase(config, io);
  const isOneShot = flags.once === true || flags.drain === true;
  const shutdown = listenForSignals(io, config.shutdownTimeoutMs);
  try {
    const log = await createLogger(io, config);
    const { openMetrics, serveMetrics } = await import('../metrics.ts');
    const metrics = isOneShot ? null : await openMetrics(context, config);
    const beckon = await openBeckon(context, config, config.migrate, log, metrics);
    let closeMetrics: (() => Promise<void>) | undefined;
    const output = createOutput(io, flags);
    try {
      if (isOneShot) {
        const handled = await drainAll(beckon, flags.once === true, {
          shutdown,
          timeoutMs: config.shutdownTimeoutMs,
          log,
        });
        output.answer({ handled }, [`handled ${handled}`]);
        return undefined;
      }
      beckon.worker.start();
      closeMetrics = await serveMetrics(context, config, metrics, beckon, log);
      const db = shownDb(config.db, io.cwd);
      output.answer({ version, db }, [`beckon ${version}  ${db}`, '  worker running']);
      const signal = await shutdown.requested;
      log.info({ signal }, 'draining');
    } finally {
      await shutdown.finish(async (timeoutMs) => {
        await Promise.all([beckon.worker.stop({ timeoutMs }), closeMetrics?.()]);
        await beckon.close();
      });
    }
    log.info({}, 'stopped');
  } finally {
    shutdown.dispose();
  }
  return undefined;
};

/** `beckon worker`: runs due work without serving HTTP. */
export const register: Register = (program, context) => {
  const command = described(program.command('worker'), 'Run a background worker', '', '--drain');
  outputOptions(databaseOptions(command))
    .addOption(new Option('--once', 'Run what is due now and exit, for cron').conflicts('drain'))
    .option('--drain', 'Run until nothing is due, then exit')
    .addOption(new Option('--migrate <mode>', 'Migrations (default: auto)').choices(['auto', 'check', 'off']))
    .option('--shutdown-timeout <time>', 'Grace period (default: 20s)')
    .action(act<WorkerFlags>(context, (flags) => work(context, flags)));
};
