import { readFileSync } from 'node:fs';
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

/** A running HTTP server. `close` waits for open requests for at most `timeoutMs`; false: some were aborted. */
export type Listening = { readonly url: string; close(timeoutMs: number): Promise<boolean> };

/** Kinds of workflow files. */
export const SCHEMA_KINDS = ['bundle', 'workflow'] as const;
type SchemaKind = (typeof SCHEMA_KINDS)[number];

/** Functions of core and http that commands use. Tests pass their own. Everything loads on first use. */
export type Services = {
  open(options: BeckonOptions): Promise<Beckon>;
  schema(options: { readonly db: string; readonly trustPath?: boolean }): Promise<DatabaseSchema>;
  /** Facts about a database engine. Throws the errors of the driver. */
  examine(...input: Parameters<typeof examineDatabase>): ReturnType<typeof examineDatabase>;
  /** Backup to a file, and restore. Throw the errors of core. */
  backup(...input: Parameters<typeof backupDatabase>): ReturnType<typeof backupDatabase>;
  restore(...input: Parameters<typeof restoreDatabase>): ReturnType<typeof restoreDatabase>;
  /** Version of the bundled SQLite. */
  sqliteVersion(): Promise<string>;
  newMasterKey(): Promise<string>;
  /** A key pair for Web Push, as base64url. */
  newVapidKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }>;
  /** Throws TypeError with a message that does not contain the key. */
  checkMasterKey(text: string): Promise<void>;
  /** Throws BeckonError VALIDATION_ERROR for text that is not JSON. */
  parseJson(bytes: Uint8Array): Promise<unknown>;
  /** Simulates a workflow without a database. Throws BeckonError VALIDATION_ERROR. */
  simulate(workflow: WorkflowInput, input: SimulateInput): Promise<Simulation>;
  /** Names and warnings of a bundle. Throws BeckonError VALIDATION_ERROR. */
  checkBundle(bundle: unknown): Promise<CheckedBundle>;
  /** Text of the JSON Schema of a bundle, or of a file with one workflow. */
  workflowSchema(kind: SchemaKind): string;
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
  /** Calls a running server. */
  readonly fetch: typeof globalThis.fetch;
  /** Posts a delivery to a local receiver; returns the status, or null without a response within 10 s. */
  forward(delivery: {
    readonly url: string;
    readonly id: string;
    readonly body: string;
    readonly secret: string;
    readonly at: Date;
  }): Promise<number | null>;
  /** Folder of the built documentation, which may not exist. */
  docsFolder(): string;
  /** Creates the metrics of this process. */
  metrics(): Promise<Metrics>;
  listenMetrics(
    metrics: Metrics,
    beckon: Beckon,
    options: NonNullable<Config['metrics']>,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
};

// From the copy that core loads, which may differ from the one in Node.
const builtInSqlite = (): string => {
  const Database = createRequire(import.meta.resolve('@beckon/core'))('better-sqlite3');
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
};

/** Timeout of a receiver, in milliseconds, as in the server. */
const FORWARD_MS = 10_000;

/** The real services. Dynamic imports keep `--version` and `--help` from loading a database driver. */
export const services: Services = {
  open: async (options) => (await import('@beckon/core')).createBeckon(options),
  schema: async (options) => (await import('@beckon/core')).databaseSchema(options),
  examine: async (...input) => (await import('@beckon/core')).examineDatabase(...input),
  backup: async (...input) => (await import('@beckon/core')).backupDatabase(...input),
  restore: async (...input) => (await import('@beckon/core')).restoreDatabase(...input),
  sqliteVersion: async () => builtInSqlite(),
  newMasterKey: async () => (await import('@beckon/core')).newMasterKey(),
  newVapidKeys: async () => (await import('@beckon/core')).generateVapidKeys(),
  checkMasterKey: async (text) => void (await import('@beckon/core')).parseMasterKeys(text),
  parseJson: async (bytes) => (await import('@beckon/core')).parseJson(bytes),
  simulate: async (...input) => (await import('@beckon/core')).simulate(...input),
  checkBundle: async (bundle) => (await import('@beckon/core')).checkBundle(bundle),
  workflowSchema: (kind) =>
    readFileSync(createRequire(import.meta.url).resolve(`@beckon/core/${kind}.schema.json`), 'utf8'),
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
  // One folder above this file, from source and in the bundle.
  docsFolder: () => fileURLToPath(new URL('../dist/docs', import.meta.url)),
  metrics: async () => (await import('@beckon/http')).createMetrics(),
  listenMetrics: async (...input) => (await import('@beckon/http')).listenMetrics(...input),
};
