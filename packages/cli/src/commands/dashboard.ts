import { InvalidArgumentError, Option } from 'commander';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { durationText, parseDuration } from '../duration.ts';
import { createOutput, formOf } from '../output.ts';
import { described } from '../table/noun.ts';

type DashboardFlags = { readonly refresh: number; readonly once?: boolean };

/** Allowed refresh intervals, in milliseconds. Chosen: shorter ones would show nothing new. */
const [MIN_REFRESH_MS, MAX_REFRESH_MS] = [200, 3_600_000];

const REFRESH_MS = 1_000;

const refresh = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null || ms < MIN_REFRESH_MS || ms > MAX_REFRESH_MS)
    throw new InvalidArgumentError('Pass a time from 200ms to 1h, such as 500ms or 5s.');
  return ms;
};

/** Width of a frame without a terminal. Chosen. */
const COLUMNS = 100;

/** `beckon dashboard`: the state of the deployment, refreshed every second. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      described(program.command('dashboard').alias('top'), 'Watch throughput, queues and failures', '', '--once'),
    ),
  )
    .addOption(
      new Option('--refresh <time>', 'Time between two updates')
        .argParser(refresh)
        .default(REFRESH_MS, durationText(REFRESH_MS)),
    )
    .option('--once', 'Print one frame and exit (default without a terminal)')
    .action(
      act<DashboardFlags>(context, async (flags) => {
        const { io, services } = context;
        const { withBeckon } = await import('../session.ts');
        const { readFigures } = await import('../dashboard/reading.ts');
        const { readRefusals } = await import('../dashboard/refusals.ts');
        await withBeckon(context, flags, async (beckon, config) => {
          const read = async () => readFigures(beckon, io.now(), await readRefusals(config, services));
          const isLive = io.stdout.isTTY && io.stdin.isTTY && flags.once !== true && formOf(flags) === 'table';
          // Loaded here only, because it takes a second.
          const { render, renderToString } = await import('ink');
          const { createElement } = await import('react');
          const { after, emptyModel } = await import('../dashboard/model.ts');
          const { Live, Screen } = await import('../dashboard/screen.ts');
          if (!isLive) {
            const reading = await read();
            const model = after(emptyModel, { kind: 'read', reading });
            const frame = renderToString(createElement(Screen, { model }), { columns: COLUMNS });
            createOutput(io, flags).answer(reading, [frame]);
            return;
          }
          const replay = async ({ scope, id }: { scope: Parameters<typeof beckon.webhooks.replay>[0]; id: string }) =>
            void (await beckon.webhooks.replay(scope, id));
          const source = { read, replay, refreshMs: flags.refresh };
          await render(createElement(Live, { source }), { alternateScreen: true, interactive: true }).waitUntilExit();
        });
        return undefined;
      }),
    );
};
