import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { act, type CommonFlags, type Context, outputOptions, type Register } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import type { Listening } from '../services.ts';
import { listenForSignals } from '../shutdown.ts';
import { described } from '../table/noun.ts';

type DocsFlags = CommonFlags & { readonly port?: string };

const HOST = '127.0.0.1';
/** Chosen: near the 8080 of `serve`. */
const PORT = '8090';
/** Grace period. Chosen: local files are sent at once. */
const SHUTDOWN_MS = 5_000;

const portOf = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CliError(EXIT.usage, `Invalid --port "${text}": pass a number from 0 to 65535.`);
};

const listening = async (folder: string, port: number): Promise<Listening> => {
  const { listenDocs } = await import('../docs-site.ts');
  try {
    return await listenDocs(folder, { host: HOST, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new CliError(EXIT.negative, `Cannot listen on ${HOST}, port ${port} (${code}).`, {
      hint: 'Pass another port: --port 8091, or --port 0 for any free port.',
      cause: error,
    });
  }
};

const docs = async ({ io, services }: Context, flags: DocsFlags): Promise<undefined> => {
  const folder = services.docsFolder();
  const port = portOf(flags.port ?? PORT);
  if (!existsSync(join(folder, 'index.html'))) {
    throw new CliError(EXIT.negative, 'The documentation is not built in this checkout.', {
      hint: 'Build it: npm run docs',
    });
  }
  const shutdown = listenForSignals(io, SHUTDOWN_MS);
  try {
    const server = await listening(folder, port);
    createOutput(io, flags).answer({ url: server.url }, [`documentation on ${server.url}`]);
    await shutdown.requested;
    await shutdown.finish(async (limitMs) => void (await server.close(limitMs)));
  } finally {
    shutdown.dispose();
  }
  return undefined;
};

/** `beckon docs`: serves the documentation of this version. */
export const register: Register = (program, context) => {
  outputOptions(described(program.command('docs'), 'Serve the documentation locally', '', '--port 8091'))
    .option('--port <number>', `Port of ${HOST}, 0 for any (default: ${PORT})`)
    .action(act<DocsFlags>(context, (flags) => docs(context, flags)));
};
