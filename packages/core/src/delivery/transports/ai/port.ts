// The port to an AI provider. It sends one request and returns the outcome; the caller decides about retries.

/** A flat JSON Schema of an object that the answer must match. */
export type AnswerSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/** One message of the conversation with a model. */
export type AiTurn = { readonly by: 'user' | 'model'; readonly text: string };

export type AiRequest = {
  readonly model: string;
  /** The system instruction. Only the workflow's author writes it. */
  readonly instruction: string;
  readonly exchanges: readonly AiTurn[];
  /** Absent: free text. */
  readonly schema?: AnswerSchema | undefined;
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
};

/** Tokens of one call. */
export type AiUsage = { readonly input: number; readonly output: number };

/** `text` is unvalidated JSON if the request had a schema. */
export type AiOutcome =
  | { readonly result: 'answered'; readonly text: string; readonly usage: AiUsage }
  | {
      /**
       * `credential`: the key was refused. `retry`: a later call may succeed. `failed`: another call would fail too.
       */
      readonly result: 'credential' | 'retry' | 'failed';
      readonly code: string;
      readonly retryAfterMs?: number;
    };

export type AiProvider = {
  /** One call with one limit for all its parts. Rejects only with the reason of `signal`. */
  complete(request: AiRequest, signal: AbortSignal): Promise<AiOutcome>;
  /** Waits for calls under way. Idempotent. */
  close(): Promise<void>;
};

/** Supported wire formats. */
export const AI_WIRES = ['openai', 'anthropic'] as const;
export type AiWireName = (typeof AI_WIRES)[number];

/** Converts requests and answers of one wire format. */
export type AiWire = {
  /** Appended to the base URL. */
  readonly path: string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: AiRequest): unknown;
  /** Reads the JSON of a successful answer; null text: it holds none. Throws nothing. */
  read(answer: Readonly<Record<string, unknown>>): {
    readonly text: string | null;
    /** Null: the provider reported none. */
    readonly usage: AiUsage | null;
  };
};
