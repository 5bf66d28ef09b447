import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Maximum connections of a client. */
export const CONNECTIONS = 1_000;

export type Answer = {
  /** 0: the connection broke. */
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | undefined;
  readonly ms: number;
  readonly body: string;
};

export type Served = {
  readonly url: string;
  readonly keys: readonly string[];
  ask(method: string, path: string, key?: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

/** A service on a database, in its own process. */
export const serving = async (db: string): Promise<Served> => {
  const args = ['--import', here('../../../../scripts/source-preload.mjs'), here('served.ts'), db];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('the service has no output');
  const [line] = await once(createInterface(child.stdout), 'line');
  // Safe: served.ts writes it.
  const { url, keys } = JSON.parse(String(line)) as { url: string; keys: string[] };
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });

  const ask: Served['ask'] = (method, path, key, body) =>
    new Promise((resolve) => {
      const start = performance.now();
      const done = (status: number, text: string, retryAfter?: string): void => {
        const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
        resolve({ status, code, retryAfter, ms: performance.now() - start, body: text });
      };
      const bytes = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(bytes === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
      };
      const sent = request(`${url}${path}`, { method, agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => done(answer.statusCode ?? 0, text, answer.headers['retry-after']));
        answer.once('error', () => done(0, ''));
      });
      sent.once('error', () => done(0, ''));
      sent.end(bytes);
    });

  return {
    url,
    keys,
    ask,
    stop: async () => {
      const over = once(child, 'exit');
      child.stdin?.end();
      await over;
      agent.destroy();
    },
  };
};

/** The percentile of values; 0 without values. */
export const percentile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
