// Colours repeat what the text says, so output without colours loses nothing.

import { styleText } from 'node:util';
import type { Io } from './io.ts';

const COLOURS = { good: 'green', bad: 'red', doubtful: 'yellow' } as const;

/** The meaning of a word; null: neutral. */
export type Tone = keyof typeof COLOURS | null;

/** Colours text that is already free of control characters, or returns it unchanged. */
export type Paint = (text: string, tone: Tone) => string;

/** Returns text unchanged. */
export const plain: Paint = (text) => text;

const inColour: Paint = (text, tone) =>
  // Without its look at process.stdout: `paintOf` decides by the writer of the command.
  tone === null || text === '' ? text : styleText(COLOURS[tone], text, { validateStream: false });

/**
 * Colours for one of the two streams. `NO_COLOR` turns them off. `FORCE_COLOR` turns them on without a terminal; its
 * values 0 and false turn them off.
 */
export const paintOf = (
  { env, ...writers }: Pick<Io, 'stdout' | 'stderr' | 'env'>,
  name: 'stdout' | 'stderr',
): Paint => {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR) return plain;
  if (FORCE_COLOR) return FORCE_COLOR === '0' || FORCE_COLOR === 'false' ? plain : inColour;
  return writers[name].isTTY && TERM !== 'dumb' ? inColour : plain;
};

const TONES: ReadonlyMap<string, Tone> = new Map([
  ...['sent', 'delivered', 'opened', 'clicked', 'completed', 'done', 'ok'].map((word) => [word, 'good'] as const),
  ...['failed', 'bounced'].map((word) => [word, 'bad'] as const),
  ...['suppressed', 'cancelled'].map((word) => [word, 'doubtful'] as const),
]);

/** The tone of the status of a send, message, run or provider test. */
export const toneOf = (status: string): Tone => TONES.get(status) ?? null;

const STATUS = /^(status: )(\S+)$/;

/** Colours `status: ...` lines and warnings (`! ...`). The text is already free of control characters. */
export const paintLines = (text: string, paint: Paint): string =>
  paint === plain
    ? text
    : text
        .split('\n')
        .map((line) =>
          line.startsWith('! ')
            ? paint(line, 'doubtful')
            : line.replace(STATUS, (_, name, status) => `${name}${paint(status, toneOf(status))}`),
        )
        .join('\n');
