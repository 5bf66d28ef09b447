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

/** What is reported of a leased message; null: it has ended, is put off, or is somebody else's by now. */
export type MessageOutcome = {
  readonly change: MessageChange;
  /** What its provider refuses the credentials of; null: they are not refused. */
  readonly refusing: ProviderConnection | null;
  /** What the sandbox would report of it later; null: nothing. */
  readonly simulated: SimulatedReport | null;
} | null;

/** Messages of one connection that are processed together, and how they are reported. */
export type Batch = LimitedBatch<LeasedRow, MessageOutcome>;

/** A message that this worker leased, and what would send it; null: its address has no provider. */
export type LeasedMessage = {
  readonly row: LeasedRow;
  readonly connection: ProviderConnection | null;
  readonly batch: Batch;
};

/** Guards for a handover: what was read of a message's recipient is unchanged. Pure. */
export type Precondition = (
  message: Pick<ReadyMessage, 'row' | 'send' | 'addressState' | 'choices'>,
) => readonly Write[];

/** A send, and its `sendKey`: strings as long as that are not made twice. */
export type SendRef = InScope & { readonly id: string; readonly sendId: string; readonly key: string };

/** A leased message and its facts, as they were read after it was leased: what is judged, handed over and sent. */
export type ReadyMessage = LeasedMessage & {
  /** One object for all messages of a send. */
  readonly sendRef: SendRef;
  /** Null where the send is gone. */
  readonly send: SendContent | null;
  readonly profile: ProfileView | null;
  /** What the channel knows of the address now; null: nothing. */
  readonly addressState: AddressState | null;
  /** What its person chose of its channel; null: nothing, or nobody is known. */
  readonly choices: Choices | null;
  /** What its project has set. */
  readonly settings: DeliverySettings;
  /** Whom its mail may be from. */
  readonly senders: SenderRules;
  /** IANA name, one that there is: of push of the device, else of the person; else of the project; null: not known. */
  readonly timezone: string | null;
  /** What it is rendered from; null where the send is gone. */
  readonly choice: Choice | null;
  /** Renders on the first call and remembers; asked only of a message that has an address and a provider. */
  readonly rendered: () => Rendered<unknown>;
  /** Gives it to its transport. */
  readonly call: (context: SendContext) => Promise<SendOutcome>;
};
