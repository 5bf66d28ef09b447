// Colour says nothing that the words do not say as well: it is left out wherever a terminal may not have it.

import { styleText } from 'node:util';
import type { Io } from './io.ts';

const COLOURS = { good: 'green', bad: 'red', doubtful: 'yellow' } as const;

/** What a word means for its reader; null: neither. */
export type Tone = keyof typeof COLOURS | null;

/** Colours a text that is clean already, or leaves it as it is. */
export type Paint = (text: string, tone: Tone) => string;

/** Leaves every text as it is. */
export const plain: Paint = (text) => text;

const inColour: Paint = (text, tone) =>
  // Without its look at process.stdout: `paintOf` decides by the writer of the command.
  tone === null || text === '' ? text : styleText(COLOURS[tone], text, { validateStream: false });

/**
 * How one of the two writers is painted. `NO_COLOR` turns colour off, `FORCE_COLOR` on where no terminal was found; 0 or
 * false there means off.
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

/** What the status of a send, a message, a run or a test of a provider means. */
export const toneOf = (status: string): Tone => TONES.get(status) ?? null;

const STATUS = /^(status: )(\S+)$/;

/** Colours the status that a line says, and a line that warns (`! ...`). The text is clean already. */
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
