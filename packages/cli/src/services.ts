import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Beckon, BeckonOptions, CheckedBundle, DatabaseSchema, Log } from '@beckon/core';
import type { Answered, Metrics } from '@beckon/http';
import type { Config } from './config.ts';

/** An HTTP server that runs. `close` lets requests in hand finish for at most `timeoutMs`; false: some were cut. */
export type Listening = { readonly url: string; close(timeoutMs: number): Promise<boolean> };

/** What commands need of core and http; a test hands in its own. Everything loads on first use. */
export type Services = {
  open(options: BeckonOptions): Promise<Beckon>;
  schema(options: { readonly db: string; readonly trustPath?: boolean }): Promise<DatabaseSchema>;
  /** Version of the SQLite that is built in. */
  sqliteVersion(): Promise<string>;
  newMasterKey(): Promise<string>;
  /** A key pair for Web Push, as base64url. */
  newVapidKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }>;
  /** Throws TypeError, a sentence without the key. */
  checkMasterKey(text: string): Promise<void>;
  /** Throws BeckonError VALIDATION_ERROR for what is no JSON. */
  parseJson(bytes: Uint8Array): Promise<unknown>;
  /** Names and warnings of a bundle. Throws BeckonError VALIDATION_ERROR. */
  checkBundle(bundle: unknown): Promise<CheckedBundle>;
  listen(
    beckon: Beckon,
    options: {
      readonly host: string;
      readonly port: number;
      readonly log: Log;
      readonly onAnswered: Answered | undefined;
    },
  ): Promise<Listening>;
  /** Asks a running service. */
  readonly fetch: typeof globalThis.fetch;
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

/** The real ones. `--version` and `--help` must not wait for a database driver, hence the dynamic imports. */
export const services: Services = {
  open: async (options) => (await import('@beckon/core')).createBeckon(options),
  schema: async (options) => (await import('@beckon/core')).databaseSchema(options),
  sqliteVersion: async () => builtInSqlite(),
  newMasterKey: async () => (await import('@beckon/core')).newMasterKey(),
  newVapidKeys: async () => (await import('@beckon/core')).generateVapidKeys(),
  checkMasterKey: async (text) => void (await import('@beckon/core')).parseMasterKeys(text),
  parseJson: async (bytes) => (await import('@beckon/core')).parseJson(bytes),
  checkBundle: async (bundle) => (await import('@beckon/core')).checkBundle(bundle),
  listen: async (beckon, { log, onAnswered, ...address }) => {
    const { createHandler, listen } = await import('@beckon/http');
    return listen(createHandler(beckon, { log, onAnswered }), address);
  },
  fetch: globalThis.fetch,
  // One folder above, from source and bundled.
  docsFolder: () => fileURLToPath(new URL('../dist/docs', import.meta.url)),
  metrics: async () => (await import('@beckon/http')).createMetrics(),
  listenMetrics: async (...given) => (await import('@beckon/http')).listenMetrics(...given),
};
