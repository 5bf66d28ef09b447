import type { ProviderConnections } from '../../delivery/providers/connections.ts';
import type { Log } from '../../foundation/log.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { LoadProfiles } from '../../people/profiles/view.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { LoadSettings } from '../settings/reader.ts';
import type { SendAudiences } from './audience.ts';
import type { Channels } from './channel.ts';
import type { LoadChoices } from './choices.ts';
import type { Precondition } from './deliver/message.ts';
import type { BoundReservation } from './deliver/reservations.ts';
import type { SendTests } from './deliver/variants.ts';
import type { Finalize } from './finalize/finalize.ts';
import type { LoadCauses } from './lifecycle.ts';
import type { LoadSenderRules } from './senders.ts';
import type { SendingStatements } from './statements.ts';
import type { StatusCallback } from './status-callback.ts';
import type { SendingStore } from './store.ts';
import type { SendingTables } from './tables.ts';

/** What sending uses of the platform. */
export type SendingPlatform = Pick<Platform<SendingTables>, 'storage' | 'tables' | 'clock' | 'ids' | 'meter'> & {
  readonly keyring: Pick<Keyring, 'openText'>;
  readonly scopes: ScopeDirectory;
  readonly log: Pick<Log, 'error' | 'warn'>;
};

/** What the stages of sending share. `sending.ts` builds it once; each stage names the parts that it uses. */
export type SendsContext = SendingPlatform & {
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly store: SendingStore;
  readonly hot: SendingStatements;
  readonly channels: Channels;
  readonly audiences: SendAudiences;
  readonly connections: ProviderConnections;
  readonly loadProfiles: LoadProfiles;
  readonly loadSettings: LoadSettings;
  /** Absent: nobody ever chose what to get. */
  readonly loadChoices?: LoadChoices | undefined;
  readonly loadSenders: LoadSenderRules;
  readonly tests: SendTests;
  readonly emitter: Emitter;
  /** What the events of a run's messages inherit. */
  readonly causes: LoadCauses;
  readonly statusCallback: StatusCallback;
  /** An SMS of which nobody knows whether the provider has it is sent again. */
  readonly resendsAmbiguous: boolean;
  /** Of a handover, in their order. */
  readonly reservations: readonly BoundReservation[];
  readonly preconditions: readonly Precondition[];
  readonly finalize: Finalize;
};
