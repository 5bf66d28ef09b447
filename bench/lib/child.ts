import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** A command that a parent may send to its contender. */
export type Command = (argument: never) => unknown;
export type Question = { readonly id: number; readonly command: string; readonly argument: unknown };
export type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string };

const reply = async (commands: Readonly<Record<string, Command>>, question: Question): Promise<Reply> => {
  const { id, command, argument } = question;
  const run = commands[command];
  if (!run) return { id, error: `unknown command ${command}` };
  try {
    // Safe: parent and child are two files of this folder, and the parent's call names the command's own type.
    return { id, value: await run(argument as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

/** Answers a parent's commands for the rest of this process's life, which ends with the parent's. */
export const answerParent = (commands: Readonly<Record<string, Command>>): void => {
  process.on('message', (message) => {
    // Safe: only `startContender` writes to this channel.
    const question = message as Question;
    reply(commands, question).then(
      (answer) => process.send?.(answer),
      () => process.exit(1),
    );
  });
  process.on('disconnect', () => process.exit(0));
};

/** Cost of a stretch of work in this process, including all its threads. */
export type Usage = { readonly cpuUs: number; readonly maxRssMb: number; readonly loopP99Ms: number };

const SAMPLE_MS = 100;
const MB = 1_048_576;

/** Resident memory of this process, in MB. */
export const rssMb = (): number => process.memoryUsage.rss() / MB;

/** Measures one stretch at a time: `begin`, then `end`. */
export const meter = () => {
  let cpu = process.cpuUsage();
  let maxRss = 0;
  let sampling: NodeJS.Timeout | undefined;
  let delay: IntervalHistogram | undefined;
  const sample = (): void => {
    maxRss = Math.max(maxRss, rssMb());
  };
  return {
    begin: (): void => {
      maxRss = 0;
      sampling = setInterval(sample, SAMPLE_MS);
      delay = monitorEventLoopDelay({ resolution: 10 });
      delay.enable();
      cpu = process.cpuUsage();
    },
    end: (): Usage => {
      const { user, system } = process.cpuUsage(cpu);
      clearInterval(sampling);
      sample();
      delay?.disable();
      return { cpuUs: user + system, maxRssMb: maxRss, loopP99Ms: (delay?.percentile(99) ?? 0) / 1e6 };
    },
  };
};
