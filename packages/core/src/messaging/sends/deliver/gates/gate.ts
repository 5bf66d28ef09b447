import type { Evidence } from '../../api.ts';
import type { SendStatus } from '../../schema.ts';
import type { MessageRow } from '../../store.ts';
import type { Verdict } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';

/** State that is read for each evaluation of a message. */
export type Moment = {
  readonly now: Date;
  /** Null if the send was deleted. */
  readonly sendStatus: SendStatus | null;
};

/** A rule that may stop a message and can explain itself. Pure. */
export type Gate = {
  /** Name in explanations. */
  readonly name: string;
  /** Evaluates one message. A rendering is cached in the message. */
  evaluate(message: ReadyMessage, moment: Moment): Verdict;
  /** The values that it reads. */
  evidence(message: ReadyMessage, moment: Moment): Evidence;
  /** True if this gate ended the message. */
  stopped(row: MessageRow): boolean;
  /** The values that it read, as far as the row keeps them. */
  storedEvidence(row: MessageRow): Evidence;
};
