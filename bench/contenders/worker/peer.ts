import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A job's payload is small and the same for every peer: its number, and the key that an idle worker reports. */
export type Payload = { readonly at: number; readonly key: string };

/** A package of the folder of peers; the caller's types describe the used part. */
export const peerModule = (folder: string, name: string): unknown => createRequire(join(folder, 'package.json'))(name);

/** Counts the handler's calls for each job of a turn; `check` throws unless there was one each. */
export const countdown = (count: number) => {
  const calls = new Uint8Array(count);
  let ended = 0;
  const all = Promise.withResolvers<void>();
  return {
    handled: (at: number): void => {
      calls[at] = (calls[at] ?? 0) + 1;
    },
    /** This many more have ended, as durably as the peer supports; `all` resolves with the last one. */
    ended: (jobs: number): void => {
      ended += jobs;
      if (ended >= count) all.resolve();
    },
    failed: all.reject,
    all: all.promise,
    total: (): number => calls.reduce((sum, one) => sum + one, 0),
    check: (): void => {
      const wrong = calls.findIndex((one) => one !== 1);
      if (wrong !== -1) throw new Error(`job ${wrong} was handled ${calls[wrong]} times`);
    },
  };
};
export type Countdown = ReturnType<typeof countdown>;

/** Expects a count of the peer's own database. */
export const expectCount = (found: unknown, wanted: number, what: string): void => {
  if (Number(found) !== wanted) throw new Error(`${what}: ${String(found)} instead of ${wanted}`);
};
