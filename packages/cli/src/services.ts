import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type {
  Beckon,
  BeckonOptions,
  backupDatabase,
  CheckedBundle,
  DatabaseSchema,
  examineDatabase,
  Log,
  restoreDatabase,
  SimulateInput,
  Simulation,
  WorkflowInput,
} from '@beckon/core';
import type { Answered, LoadWatchOptions, Metrics } from '@beckon/http';
import type { Config } from './config.ts';

/** An HTTP server that runs. `close` lets requests in hand finish for at most `timeoutMs`; false: some were cut. */
export type Listening = { readonly url: string; close(timeoutMs: number): Promise<boolean> };

/** What commands need of core and http; a test hands in its own. Everything loads on first use. */
export type Services = {
  open(options: BeckonOptions): Promise<Beckon>;
  schema(options: { readonly db: string; readonly trustPath?: boolean }): Promise<DatabaseSchema>;
  /** What a database is like, beside its content. Throws what its driver throws. */
  examine(...given: Parameters<typeof examineDatabase>): ReturnType<typeof examineDatabase>;
  /** A whole database as a file, and back. Throw as core does. */
  backup(...given: Parameters<typeof backupDatabase>): ReturnType<typeof backupDatabase>;
  restore(...given: Parameters<typeof restoreDatabase>): ReturnType<typeof restoreDatabase>;
  /** Version of the SQLite that is built in. */
  sqliteVersion(): Promise<string>;
  newMasterKey(): Promise<string>;
  /** A key pair for Web Push, as base64url. */
  newVapidKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }>;
  /** Throws TypeError, a sentence without the key. */
  checkMasterKey(text: string): Promise<void>;
  /** Throws BeckonError VALIDATION_ERROR for what is no JSON. */
  parseJson(bytes: Uint8Array): Promise<unknown>;
  /** A workflow on a clock of its own, without a database. Throws BeckonError VALIDATION_ERROR. */
  simulate(workflow: WorkflowInput, input: SimulateInput): Promise<Simulation>;
  /** Names and warnings of a bundle. Throws BeckonError VALIDATION_ERROR. */
  checkBundle(bundle: unknown): Promise<CheckedBundle>;
  listen(
    beckon: Beckon,
    options: {
      readonly host: string;
      readonly port: number;
      readonly log: Log;
      readonly trustedProxies: number;
      readonly onAnswered: Answered | undefined;
      readonly onLoad: LoadWatchOptions['onChange'];
    },
  ): Promise<Listening>;
  /** Asks a running service. */
  readonly fetch: typeof globalThis.fetch;
  /** Posts a delivery to a receiver on this machine; answers its status, null: there was no answer in 10 s. */
  forward(delivery: {
    readonly url: string;
    readonly id: string;
    readonly body: string;
    readonly secret: string;
    readonly at: Date;
  }): Promise<number | null>;
  /** Where the built documentation is, if it is. */
  docsFolder(): string;
  /** Figures about the process from now on. */
  metrics(): Promise<Metrics>;
  listenMetrics(
    metrics: Metrics,
    beckon: Beckon,
    options: NonNullable<Config['metrics']>,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
};

// Asked of the copy that core loads, which need not be the one that Node has built in.
const builtInSqlite = (): string => {
  const Database = createRequire(import.meta.resolve('@beckon/core'))('better-sqlite3');
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
};

/** Milliseconds that a receiver has, as of the service. */
const FORWARD_MS = 10_000;

/** The real ones. `--version` and `--help` must not wait for a database driver, hence the dynamic imports. */
export const services: Services = {
  open: async (options) => (await import('@beckon/core')).createBeckon(options),
  schema: async (options) => (await import('@beckon/core')).databaseSchema(options),
  examine: async (...given) => (await import('@beckon/core')).examineDatabase(...given),
  backup: async (...given) => (await import('@beckon/core')).backupDatabase(...given),
  restore: async (...given) => (await import('@beckon/core')).restoreDatabase(...given),
  sqliteVersion: async () => builtInSqlite(),
  newMasterKey: async () => (await import('@beckon/core')).newMasterKey(),
  newVapidKeys: async () => (await import('@beckon/core')).generateVapidKeys(),
  checkMasterKey: async (text) => void (await import('@beckon/core')).parseMasterKeys(text),
  parseJson: async (bytes) => (await import('@beckon/core')).parseJson(bytes),
  simulate: async (...given) => (await import('@beckon/core')).simulate(...given),
  checkBundle: async (bundle) => (await import('@beckon/core')).checkBundle(bundle),
  listen: async (beckon, { log, trustedProxies, onAnswered, onLoad, ...address }) => {
    const { createHandler, listen, watchLoad } = await import('@beckon/http');
    const watch = watchLoad(beckon, { log, onChange: onLoad });
    try {
      const handler = createHandler(beckon, { log, trustedProxies, onAnswered, load: watch.now });
      const { url, close } = await listen(handler, address);
      return {
        url,
        close: (timeoutMs) => {
          watch.stop();
          return close(timeoutMs);
        },
      };
    } catch (error) {
      watch.stop();
      throw error;
    }
  },
  fetch: globalThis.fetch,
  forward: async ({ url, id, body, secret, at }) => {
    const { signedHeaders } = await import('@beckon/core');
    const bytes = Buffer.from(body);
    const headers = signedHeaders({ id, at, body: bytes, secrets: [secret] });
    const signal = AbortSignal.timeout(FORWARD_MS);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return null;
    }
  },
  // One folder above, from source and bundled.
  docsFolder: () => fileURLToPath(new URL('../dist/docs', import.meta.url)),
  metrics: async () => (await import('@beckon/http')).createMetrics(),
  listenMetrics: async (...given) => (await import('@beckon/http')).listenMetrics(...given),
};
