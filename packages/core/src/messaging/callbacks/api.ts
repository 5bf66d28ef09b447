import type { Channel } from '../../foundation/channel.ts';
import type { ListQuery, Page, WholeList } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { CallbackCounts, CallbackState } from './answers.generated.ts';
import type { EmailCallbackProvider } from './email-settings.ts';

/**
 * A request body that is read in two steps: its start identifies the owner, and the remainder is read only for an
 * owner.
 */
export type CallbackBody = {
  /** At least the first 64 KB, or the whole body if it is shorter. */
  start(): Promise<Uint8Array>;
  /** The whole body. Called at most once, after `start`. */
  whole(): Promise<Uint8Array>;
};

/** A provider's request, as its route received it. */
export type CallbackInput = {
  readonly channel: Channel;
  /** Name in the route, such as `sendgrid`. */
  readonly provider: string;
  /** Only of routes with an organization. */
  readonly orgId?: string | undefined;
  readonly method: string;
  /** As received, with the base path; the public URL and this path are the URL that the provider used. */
  readonly path: string;
  /** As received, without the question mark. */
  readonly query: string;
  /** Lower-case names. */
  header(name: string): string | undefined;
  readonly body: Uint8Array | CallbackBody;
  /** The sender posted many rejected requests: without a signature header the request is rejected unread. */
  readonly isSuspect?: boolean | undefined;
};

/** Result of a callback. */
export type CallbackAnswer = CallbackCounts & {
  /** False if it names no project: then nothing was verified or done. */
  readonly isAccepted: boolean;
  /** The response that the provider expects; null: any. */
  readonly reply: { readonly contentType: string; readonly body: string } | null;
};

/** A stored callback, without its body, which is encrypted. */
export type Callback = CallbackCounts & {
  readonly id: string;
  readonly channel: Channel;
  readonly provider: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly receivedAt: Date;
  /** When its events were last applied; null: applying failed. */
  readonly appliedAt: Date | null;
};

/** Only for channels with callbacks. */
export type CallbackStates<C extends Channel> = C extends 'email'
  ? { readonly callbacks: { readonly [P in EmailCallbackProvider]: CallbackState } }
  : unknown;

export type CallbackQuery = Omit<ListQuery, 'count'> & {
  readonly channel?: Channel | undefined;
  readonly provider?: string | undefined;
};

/** The URL that a project enters at a provider. */
export type ProviderUrl = { readonly channel: Channel; readonly provider: string; readonly url: string };

export type CallbacksApi = {
  /**
   * Receives a provider's request. `?k=` in its URL, or the first 20 message ids in its first 64 KB, name the project.
   * The request is verified with the secrets of that project and kept for 7 days, and each of its events is applied
   * once, however often it arrives. Resolves with `isAccepted: false` if no project is named. Throws NOT_FOUND for an
   * unknown provider, UNAUTHORIZED for a missing, wrong or expired signature, VALIDATION_ERROR for a signed body that
   * is invalid.
   */
  receive(input: CallbackInput): Promise<CallbackAnswer>;
  /** Newest first. Throws VALIDATION_ERROR, INVALID_RANGE. */
  list(scope: Scope, query?: CallbackQuery): Promise<Page<Callback>>;
  /** Applies a stored callback again; events applied before are skipped. Throws NOT_FOUND. */
  replay(scope: Scope, id: string): Promise<Callback>;
  /** The URLs that a project configures at its providers, one each. Empty without a public URL. */
  urls(scope: Scope): Promise<WholeList<ProviderUrl>>;
};
