/** The signals that `serve` and `worker` answer. */
export type Signal = 'SIGINT' | 'SIGTERM';

/** Where text goes. `isTTY` tells whether a person reads it. */
export type Writer = { readonly isTTY: boolean; write(text: string): void };

/** All that a command may know of the process around it; a test hands in its own. */
export type Io = {
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly stdin: {
    readonly isTTY: boolean;
    /** Everything until the end. Throws RangeError as soon as there are more than `maxBytes`. */
    read(maxBytes: number): Promise<Uint8Array>;
    /** One line as a person typed it. Only where `isTTY`. */
    ask(question: string): Promise<string>;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  readonly cwd: string;
  now(): Date;
  /** Hears signals, and keeps the process alive, until the answered function is called. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Calls back once, unless the answered function is called before. */
  after(ms: number, callback: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
};
