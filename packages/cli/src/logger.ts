import type { Log } from '@beckon/core';
import type { Config } from './config.ts';
import type { Io, Writer } from './io.ts';
import { clean, escapeJson } from './text.ts';

const RANKS = { info: 0, warn: 1, error: 2, silent: 3 } as const;
type Level = 'info' | 'warn' | 'error';

const fieldText = (value: unknown): string => {
  if (value instanceof Error) return clean(`${value.name}: ${value.message}`);
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return clean(/\s/.test(text) ? JSON.stringify(text) : text);
};

const prettyLog = (io: Pick<Io, 'stderr' | 'now'>, least: number): Log => {
  const write =
    (level: Level) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (RANKS[level] < least) return;
      const pairs = Object.entries(fields).map(([name, value]) => ` ${clean(name)}=${fieldText(value)}`);
      const time = io.now().toISOString().slice(11, 23);
      io.stderr.write(`${time} ${level.padEnd(5)} ${clean(message)}${pairs.join('')}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
};

const jsonLog = async (stderr: Writer, level: Config['logLevel']): Promise<Log> => {
  const { pino } = await import('pino');
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => stderr.write(escapeJson(line)) },
  );
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
};

/** The log of `serve` and `worker` on stderr: one JSON object or one short text line per entry. */
export const createLogger = async (
  io: Pick<Io, 'stderr' | 'now'>,
  { logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>,
): Promise<Log> => (logFormat === 'pretty' ? prettyLog(io, RANKS[logLevel]) : await jsonLog(io.stderr, logLevel));
