import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { contained } from './contained.ts';
import type { Io, Signal } from './io.ts';

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM'];
/** The longest interval of a timer, about 24 days. Source: Node, setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const read = async (maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError(`stdin holds more than ${maxBytes} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
};

/** Drops what is typed, so that the terminal does not show it. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

const ask: Io['stdin']['prompt'] = async (question, { isHidden = false } = {}) => {
  const lines = isHidden
    ? createInterface({ input: process.stdin, output: nowhere(), terminal: true })
    : createInterface({ input: process.stdin, output: process.stderr });
  if (isHidden) process.stderr.write(question);
  try {
    return await lines.question(isHidden ? '' : question);
  } finally {
    lines.close();
    if (isHidden) process.stderr.write('\n');
  }
};

const onSignal: Io['onSignal'] = (listener) => {
  const onSafely = contained(listener);
  // A signal listener does not keep the process alive, so a timer does.
  const awake = setInterval(
    contained(() => undefined),
    MAX_TIMER_MS,
  );
  for (const signal of SIGNALS) process.on(signal, onSafely);
  return () => {
    clearInterval(awake);
    for (const signal of SIGNALS) process.off(signal, onSafely);
  };
};

/**
 * The real process. If the reader of stdout closes early (`| head -1`), the program ends silently with 0. A closed
 * stderr is ignored.
 */
export const processIo = (): Io => {
  process.stdout.on(
    'error',
    contained((error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1)),
  );
  process.stderr.on(
    'error',
    contained(() => undefined),
  );
  return {
    stdout: { isTTY: process.stdout.isTTY === true, write: (text) => void process.stdout.write(text) },
    stderr: { isTTY: process.stderr.isTTY === true, write: (text) => void process.stderr.write(text) },
    stdin: { isTTY: process.stdin.isTTY === true, read, prompt: ask },
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    onSignal,
    after: (ms, callback) => {
      const timer = setTimeout(contained(callback), ms);
      return () => clearTimeout(timer);
    },
    exit: (code) => process.exit(code),
  };
};
