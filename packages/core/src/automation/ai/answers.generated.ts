// Made of the schemas in answers.ts by `npm run openapi`.

/** An organization's provider of AI models, without its API key. */
export interface AiSettings {
  /** Whether the organization has a provider of its own. */
  readonly configured: boolean;
  /** API that the provider implements; null if not configured. */
  readonly wire: 'openai' | 'anthropic' | null;
  /** Base URL of the provider's API; null for the default of the API. */
  readonly baseUrl: string | null;
  /** Last characters of the API key; null if there is none. */
  readonly lastFour: string | null;
  /** Default models by task. */
  readonly models: {
    /** Model of `generate` steps that name none; missing if not set. */
    readonly generate?: string | undefined;
    /** Model of `decide` steps that name none; missing if not set. */
    readonly decide?: string | undefined;
    /** Model of `extract` steps that name none; missing if not set. */
    readonly extract?: string | undefined;
  };
  /** Prices by model. */
  readonly prices: Readonly<Record<string, {
    /** Price of a million input tokens, in your currency. */
    readonly input: number;
    /** Price of a million output tokens, in your currency. */
    readonly output: number;
  }>>;
  /** Since when the provider rejects the API key; null if it does not. */
  readonly keyRejectedAt: Date | null;
  /** Error code of the rejection; null if there is none. */
  readonly keyErrorCode: string | null;
  /** When the settings were last changed; null if not configured. */
  readonly updatedAt: Date | null;
  /** Use of the deployment's shared provider, which serves organizations without one of their own. */
  readonly sharedTokens: {
    /** Tokens used today (UTC). */
    readonly today: number;
    /** Maximum number of tokens per day. */
    readonly perDay: number;
  };
}

/** What an AI step used. */
export interface StepUsage {
  /** Name of the model. */
  readonly model: string;
  /** Whose API key was used: the organization's or the deployment's. */
  readonly keySource: 'organization' | 'shared';
  /** Requests to the model. */
  readonly calls: number;
  /** Tokens of the requests. */
  readonly inputTokens: number;
  /** Tokens of the responses. */
  readonly outputTokens: number;
  /** Cost at the configured prices; null if the model has no price. */
  readonly cost: number | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly AiSettings: AiSettings;
  readonly StepUsage: StepUsage;
}
