import type { Write } from '../../../database/commit/write-set.ts';
import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendContext, SendOutcome, SimulatedReport } from '../../../delivery/transports/port.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { LimitedBatch } from '../../../jobs/limited-queue.ts';
import type { ProfileView } from '../../../people/profiles/view.ts';
import type { DeliverySettings } from '../../settings/view.ts';
import type { AddressState, Rendered } from '../channel.ts';
import type { Choices } from '../choices.ts';
import type { MessageChange } from '../finalize/change.ts';
import type { SenderRules } from '../senders.ts';
import type { LeasedRow } from '../statements.ts';
import type { Choice } from './choose-content.ts';
import type { SendContent } from './content.ts';

/** The result of a leased message; null: it ended, is due later, or its lease is lost. */
export type MessageOutcome = {
  readonly change: MessageChange;
  /** The connection that rejects its credentials; null: none. */
  readonly refusing: ProviderConnection | null;
  /** The delayed report that the sandbox simulates; null: none. */
  readonly simulated: SimulatedReport | null;
} | null;

/** Messages of one connection that are processed together, with their callbacks. */
export type Batch = LimitedBatch<LeasedRow, MessageOutcome>;

/** A message leased by this worker, with its provider connection; null: none configured. */
export type LeasedMessage = {
  readonly row: LeasedRow;
  readonly connection: ProviderConnection | null;
  readonly batch: Batch;
};

/** Guards of a handover that fail if facts of the recipient changed since they were read. Pure. */
export type Precondition = (
  message: Pick<ReadyMessage, 'row' | 'send' | 'addressState' | 'choices'>,
) => readonly Write[];

/** A send with its `sendKey`, a long string that is built only once. */
export type SendRef = InScope & { readonly id: string; readonly sendId: string; readonly key: string };

/** A leased message with its facts, as read after the lease: evaluated, handed over and sent. */
export type ReadyMessage = LeasedMessage & {
  /** One object for all messages of a send. */
  readonly sendRef: SendRef;
  /** Null if the send was deleted. */
  readonly send: SendContent | null;
  readonly profile: ProfileView | null;
  /** What the channel currently knows of the address; null: nothing. */
  readonly addressState: AddressState | null;
  /** The user's choices for the channel; null: none, or no user. */
  readonly choices: Choices | null;
  /** Settings of the project. */
  readonly settings: DeliverySettings;
  /** Allowed email senders. */
  readonly senders: SenderRules;
  /**
   * Valid IANA zone: for push that of the device, else that of the user; without one that of the project. Null:
   * unknown.
   */
  readonly timezone: string | null;
  /** The chosen content; null if the send was deleted. */
  readonly choice: Choice | null;
  /** Renders once and caches the result. Call it only for a message with an address and a provider. */
  readonly rendered: () => Rendered<unknown>;
  /** Calls the transport. */
  readonly call: (context: SendContext) => Promise<SendOutcome>;
};
