import { Option } from 'commander';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { hearSignals } from '../shutdown.ts';

type WorkerFlags = { readonly once?: boolean; readonly drain?: boolean };

const drainAll = async (drain: () => Promise<number>, isOnce: boolean): Promise<number> => {
  let all = 0;
  for (;;) {
    const handled = await drain();
    all += handled;
    if (isOnce || handled === 0) return all;
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
  const shutdown = isOneShot ? undefined : hearSignals(io, config.shutdownTimeoutMs);
  try {
    const log = await createLogger(io, config);
    const { openMetrics, serveMetrics } = await import('../metrics.ts');
    const metrics = isOneShot ? null : await openMetrics(context, config);
    const beckon = await openBeckon(context, config, config.migrate, log, metrics);
    let closeMetrics: (() => Promise<void>) | undefined;
    const output = createOutput(io, flags);
    try {
      if (shutdown === undefined) {
        const handled = await drainAll(() => beckon.worker.drain(), flags.once === true);
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
      const stop = async (): Promise<void> => {
        await Promise.all([beckon.worker.stop({ timeoutMs: config.shutdownTimeoutMs }), closeMetrics?.()]);
        await beckon.close();
      };
      await (shutdown === undefined ? stop() : shutdown.finish(stop));
    }
  } finally {
    shutdown?.dispose();
  }
  return undefined;
};

/** `beckon worker`: does what is due, without HTTP. */
export const register: Register = (program, context) => {
  const command = program.command('worker').description('do what is due, without serving HTTP');
  outputOptions(databaseOptions(command))
    .addOption(new Option('--once', 'do what is due now and exit, for cron').conflicts('drain'))
    .option('--drain', 'go on until nothing is due, and exit')
    .addOption(new Option('--migrate <how>', 'what to do about a missing migration').choices(['auto', 'check', 'off']))
    .option('--shutdown-timeout <time>', 'how long draining may take (default: 20s)')
    .action(act<WorkerFlags>(context, (flags) => work(context, flags)));
};
