import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Reply } from './child.ts';
import { places } from './places.ts';

/** A separate process that does one contender's work on command. */
export type Contender = {
  /** Throws what the contender threw, or that it ended. */
  ask<Value>(command: string, argument?: unknown): Promise<Value>;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
};

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

/** Starts a bundled program of `contenders`, by its name. */
export const startContender = (program: string): Contender => {
  const child = fork(join(places.built, `${program}.js`), [], { execArgv: [], cwd: places.root });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${signal ?? code}`));
      waiting.clear();
      resolve();
    });
  });
  child.on('message', (message) => {
    // Safe: only `answerParent` writes to this channel.
    const { id, value, error } = message as Reply;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${program}: ${error}`));
  });
  return {
    ask: <Value>(command: string, argument?: unknown) =>
      new Promise<Value>((resolve, reject) => {
        lastId += 1;
        // Safe: the caller names the type that the command of this folder returns.
        waiting.set(lastId, { resolve: (value) => resolve(value as Value), reject });
        child.send({ id: lastId, command, argument }, (error) => error && reject(error));
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
};
