import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import type { AddressFacts, AddressFeedback } from '../channel.ts';
import type { MessageReason, MessageStatus, Role } from '../schema.ts';

/** The step of a run that a send belongs to. */
export type StepRef = { readonly runId: string; readonly path: string };

/**
 * What happens to one message in one commit: the last of the types that a message has on its way, and all that
 * reactions are told of it.
 */
export type MessageChange = InScope & {
  readonly messageId: string;
  readonly sendId: string;
  readonly channel: Channel;
  /** Null: nobody is known behind the address. */
  readonly person: string | null;
  /** The status before; null: the message is made in this commit, ended already, and its send's row counts it. */
  readonly from: MessageStatus | null;
  readonly status: MessageStatus;
  /** Why it was suppressed or put off, or what its provider said of the address. */
  readonly reason: MessageReason | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly at: Date;
  /** Hand-overs that count; one that its provider refused to look at does not. */
  readonly attempt: number;
  /** Of the lease under which it changes. */
  readonly fence: number;
  /** When it comes again; null: it has ended. */
  readonly dueAt: Date | null;
  /** Null: its send is no step's. */
  readonly step: StepRef | null;
  readonly feedback: AddressFeedback | null;
  /** What it told a live activity; absent: it is an ordinary message. */
  readonly activity?: AddressFacts['activity'];
  /** Whom a provider that was given it says that it was not taken for; null: it was taken, or nobody knows, or was asked. */
  readonly refused: { readonly tokenId: string | null; readonly address: string | null; readonly role: Role } | null;
};

/** The tag of a message in a write set. */
export const messageTag = (message: InScope & { readonly id: string }): string =>
  `m:${scopeKey(message)}/${message.id}`;

/** True for a message of which nothing more is to be sent. */
export const hasEnded = (status: MessageStatus): boolean =>
  status !== 'queued' && status !== 'deferred' && status !== 'sending';
