// The port to a provider of models. It asks once and says what came of it: what to do about that is for whoever asked.

/** A flat JSON Schema of an object: what an answer has to be. */
export type AnswerSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/** One turn of what is said to a model. */
export type AiTurn = { readonly by: 'user' | 'model'; readonly text: string };

export type AiRequest = {
  readonly model: string;
  /** What to do: whoever wrote the workflow says it, and nobody else. */
  readonly instruction: string;
  readonly exchanges: readonly AiTurn[];
  /** Absent: free text. */
  readonly schema?: AnswerSchema | undefined;
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
};

/** Tokens of one call. */
export type AiUsage = { readonly input: number; readonly output: number };

/** `text` is JSON where a schema was asked for, and not yet looked at. */
export type AiOutcome =
  | { readonly result: 'answered'; readonly text: string; readonly usage: AiUsage }
  | {
      /** `credential`: the key is refused. `retry`: later it may go well. `failed`: it would be refused again. */
      readonly result: 'credential' | 'retry' | 'failed';
      readonly code: string;
      readonly retryAfterMs?: number;
    };

export type AiProvider = {
  /** One call with one limit over all of it. Rejects only with the reason of `signal`. */
  complete(request: AiRequest, signal: AbortSignal): Promise<AiOutcome>;
  /** Lets calls under way finish. Idempotent. */
  close(): Promise<void>;
};

/** The wire formats that are spoken. */
export const AI_WIRES = ['openai', 'anthropic'] as const;
export type AiWireName = (typeof AI_WIRES)[number];

/** How one wire format says a request and an answer. */
export type AiWire = {
  /** Behind the base URL. */
  readonly path: string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: AiRequest): unknown;
  /** Of the JSON of a good answer; null text: there is none. Throws nothing. */
  read(answer: Readonly<Record<string, unknown>>): {
    readonly text: string | null;
    /** Null: it was not said. */
    readonly usage: AiUsage | null;
  };
};
