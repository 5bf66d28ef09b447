import type { SendStatus } from '../../schema.ts';
import type { Verdict } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';

/** What is read anew each time that a message is judged. */
export type Moment = {
  readonly now: Date;
  /** Null where the send is gone. */
  readonly sendStatus: SendStatus | null;
};

/** Judges one message by its facts. Pure, but for rendering, which is remembered. */
export type Gate = (message: ReadyMessage, moment: Moment) => Verdict;
