import type { Channel } from '../../foundation/channel.ts';
import type { ListQuery, Page, WholeList } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { CallbackCounts, CallbackState } from './answers.generated.ts';
import type { EmailCallbackProvider } from './email-settings.ts';

/** A body that is read in two steps: its beginning says whose it is, and the rest is read only for an owner. */
export type CallbackBody = {
  /** At least the first 64 KB, or all where there is less. */
  start(): Promise<Uint8Array>;
  /** The whole body. Called at most once, after `start`. */
  whole(): Promise<Uint8Array>;
};

/** What a provider posted, as its route got it. */
export type CallbackInput = {
  readonly channel: Channel;
  /** As its route names it, such as `sendgrid`. */
  readonly provider: string;
  /** Of routes that name one. */
  readonly orgId?: string | undefined;
  readonly method: string;
  /** As on the wire, with the base path; the URL that the provider posted to is the public URL and this. */
  readonly path: string;
  /** As on the wire, without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array | CallbackBody;
  /** Its sender posted much that was not accepted: what has no signature in its headers is refused before it is read. */
  readonly isSuspect?: boolean | undefined;
};

/** What became of a callback. */
export type CallbackAnswer = CallbackCounts & {
  /** False where it names no project of ours: then nothing of it was checked, and nothing was done. */
  readonly isAccepted: boolean;
  /** What the provider wants to be answered; null: nothing in particular. */
  readonly reply: { readonly contentType: string; readonly body: string } | null;
};

/** A callback that was kept: never the body, which is sealed. */
export type Callback = CallbackCounts & {
  readonly id: string;
  readonly channel: Channel;
  readonly provider: string;
  /** Of the body. */
  readonly bytes: number;
  readonly receivedAt: Date;
  /** When its events were last gone through; null: that broke off. */
  readonly appliedAt: Date | null;
};

/** Of channels that have any. */
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
   * Takes what a provider posted. `?k=` of its URL, or the first 20 ids of messages in its first 64 KB, name the project;
   * the request is checked against what that project has set, kept for 7 days, and each of its events is applied once,
   * however often it comes. Resolves with `isAccepted: false` where no project is named. Throws
   * NOT_FOUND for a provider that there is not, UNAUTHORIZED for a signature that is missing, wrong or too old,
   * VALIDATION_ERROR for a signed body that is not what it should be.
   */
  receive(input: CallbackInput): Promise<CallbackAnswer>;
  /** Newest first. Throws VALIDATION_ERROR, INVALID_RANGE. */
  list(scope: Scope, query?: CallbackQuery): Promise<Page<Callback>>;
  /** Goes through a kept callback again: what was applied stays as it is. Throws NOT_FOUND. */
  replay(scope: Scope, id: string): Promise<Callback>;
  /** What a project gives its providers: a URL each. Empty without a public URL. */
  urls(scope: Scope): Promise<WholeList<ProviderUrl>>;
};
