/** The signals that `serve` and `worker` handle. */
export type Signal = 'SIGINT' | 'SIGTERM';

/** An output stream. `isTTY`: it is a terminal. */
export type Writer = { readonly isTTY: boolean; write(text: string): void };

/** The process, as far as commands use it. Tests pass their own. */
export type Io = {
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly stdin: {
    readonly isTTY: boolean;
    /** All bytes until the end. Throws RangeError as soon as there are more than `maxBytes`. */
    read(maxBytes: number): Promise<Uint8Array>;
    /** Asks a question and returns the typed line. Only if `isTTY`. */
    /** `isHidden`: the terminal does not show what is typed. */
    prompt(question: string, options?: { readonly isHidden?: boolean }): Promise<string>;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  readonly cwd: string;
  now(): Date;
  /** Listens for signals and keeps the process alive until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Calls back once, unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
};
