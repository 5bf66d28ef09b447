import { type Beckon, createBeckon, virtualClock } from '@beckon/core';
import { createHandler, listen } from '@beckon/http';
import type { Deployment } from './deployment.ts';
import { type Client, client } from './http.ts';

type Seams = NonNullable<Parameters<typeof createBeckon>[1]>;

/** What may be put between the service and its database. Each may throw; `beforeCommit` may also wait. */
export type Faults = {
  beforeCommit?: (() => Promise<void> | void) | undefined;
  statement?: (() => void) | undefined;
  /** What it throws is the answer to a commit that took place. */
  committed?: (() => void) | undefined;
};

/** The service inside this process, over a database whose commits the test holds in its hand. */
export type Held = {
  readonly beckon: Beckon;
  /** Changed by the test at any time; empty in the beginning. */
  readonly faults: Faults;
  readonly clock: ReturnType<typeof virtualClock>;
  /** Listens on loopback until `close`, and answers a client for it. */
  serve(connections: number): Promise<Client>;
  close(): Promise<void>;
};

/** Opens the service with a virtual clock. */
export const hold = async ({ url, masterKey, key }: Deployment): Promise<Held> => {
  const faults: Faults = {};
  const observer: Seams['observer'] = {
    beforeCommit: () => faults.beforeCommit?.(),
    statement: () => faults.statement?.(),
    committed: () => faults.committed?.(),
  };
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const beckon = await createBeckon({ db: url, masterKey, clock }, { observer });
  const closing: (() => unknown)[] = [];
  return {
    beckon,
    faults,
    clock,
    serve: async (connections) => {
      const server = await listen(createHandler(beckon), { port: 0 });
      const http = client(server.url, key, connections);
      closing.push(http.close, server.close);
      return http;
    },
    close: async () => {
      for (const end of closing) await end();
      await beckon.close();
    },
  };
};
