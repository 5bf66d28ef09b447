import { run } from '../src/run.ts';
import { services } from '../src/services.ts';
import type { Ended, Place } from './beckon.ts';
import { fakeIo } from './support/fake-io.ts';

/**
 * Runs a command as `Place.run` does, but in the process of the test, because starting a process costs more than the
 * command. The output is the same. Uses the real clock.
 */
export const runInProcess = async (
  { cwd }: Pick<Place, 'cwd'>,
  args: readonly string[],
  { env = {}, input = '' }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<Ended> => {
  const io = fakeIo({ cwd, env, stdin: input });
  const after: typeof io.after = (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  const code = await run(args, { ...io, now: () => new Date(), after }, services);
  return { code, out: io.out(), err: io.err() };
};
