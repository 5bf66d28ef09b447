import type { Evidence } from '../../api.ts';
import type { SendStatus } from '../../schema.ts';
import type { MessageRow } from '../../store.ts';
import type { Verdict } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';

/** What is read anew each time that a message is judged. */
export type Moment = {
  readonly now: Date;
  /** Null where the send is gone. */
  readonly sendStatus: SendStatus | null;
};

/** One rule that may stop a message, and how it explains itself to whoever asks. All of it is pure. */
export type Gate = {
  /** As explanations name it. */
  readonly name: string;
  /** Judges one message by its facts; what it renders is remembered. */
  evaluate(message: ReadyMessage, moment: Moment): Verdict;
  /** What it judges by. */
  evidence(message: ReadyMessage, moment: Moment): Evidence;
  /** Whether this is what ended a message that has ended. */
  stopped(row: MessageRow): boolean;
  /** As much of what it judges by as the message's row keeps. */
  kept(row: MessageRow): Evidence;
};
