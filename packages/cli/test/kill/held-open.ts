import { type Beckon, createBeckon, virtualClock } from '@beckon/core';
import { createHandler, listen } from '@beckon/http';
import type { Deployment } from './deployment.ts';
import { type Client, client } from './http.ts';

type Seams = NonNullable<Parameters<typeof createBeckon>[1]>;

/** Hooks between the server and its database. Each may throw; `beforeCommit` may also wait. */
export type Faults = {
  beforeCommit?: (() => Promise<void> | void) | undefined;
  statement?: (() => void) | undefined;
  /** An error thrown here replaces the response of a successful commit. */
  committed?: (() => void) | undefined;
};

/** A server in this process, on a database whose commits the test controls. */
export type Held = {
  readonly beckon: Beckon;
  /** Hooks, initially empty. */
  readonly faults: Faults;
  readonly clock: ReturnType<typeof virtualClock>;
  /** Listens on loopback until `close`; returns a client. */
  serve(connections: number): Promise<Client>;
  close(): Promise<void>;
};

/** Opens the server with a virtual clock. */
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
