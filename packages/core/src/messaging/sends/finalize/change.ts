import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import type { AddressFacts, AddressFeedback } from '../channel.ts';
import type { MessageReason, MessageStatus, Role } from '../schema.ts';

/** The workflow step of a send. */
export type StepRef = { readonly runId: string; readonly path: string };

/** The change of one message in one commit, with everything that reactions need to know. */
export type MessageChange = InScope & {
  readonly messageId: string;
  readonly sendId: string;
  readonly channel: Channel;
  /** Null: the address has no user. */
  readonly person: string | null;
  /** Status before; null: the message is created in this commit with a final status, and its send's row counts it. */
  readonly from: MessageStatus | null;
  readonly status: MessageStatus;
  /** Why it was suppressed or deferred, or what its provider said about the address. */
  readonly reason: MessageReason | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly providerId: string | null;
  readonly at: Date;
  /** Handovers that count as attempts; one with rejected credentials does not. */
  readonly attempt: number;
  /** Fencing token of the lease. */
  readonly fence: number;
  /** When it is due again; null: it has ended. */
  readonly dueAt: Date | null;
  /** Null: no workflow step sent it. */
  readonly step: StepRef | null;
  readonly feedback: AddressFeedback | null;
  /** The live activity update of the message; absent: an ordinary message. */
  readonly activity?: AddressFacts['activity'];
  /** Recipient of a message that the provider did not accept; null: accepted, unknown, or not handed over. */
  readonly refused: { readonly tokenId: string | null; readonly address: string | null; readonly role: Role } | null;
};

/** Tag of a message in a write set. */
export const messageTag = (message: InScope & { readonly id: string }): string =>
  `m:${scopeKey(message)}/${message.id}`;

/** True for a final message status. */
export const hasEnded = (status: MessageStatus): boolean =>
  status !== 'queued' && status !== 'deferred' && status !== 'sending';
