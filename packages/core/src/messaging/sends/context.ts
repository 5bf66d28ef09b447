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

/** Platform dependencies of sending. */
export type SendingPlatform = Pick<
  Platform<SendingTables>,
  'storage' | 'tables' | 'clock' | 'ids' | 'meter' | 'tracing'
> & {
  readonly keyring: Pick<Keyring, 'openText'>;
  readonly scopes: ScopeDirectory;
  readonly log: Pick<Log, 'error' | 'warn'>;
};

/** What the stages of sending share. `sending.ts` builds it once; each stage picks the parts that it needs. */
export type SendsContext = SendingPlatform & {
  /** Random number from 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly store: SendingStore;
  readonly hot: SendingStatements;
  readonly channels: Channels;
  readonly audiences: SendAudiences;
  readonly connections: ProviderConnections;
  readonly loadProfiles: LoadProfiles;
  readonly loadSettings: LoadSettings;
  /** Absent: no user ever made a choice. */
  readonly loadChoices?: LoadChoices | undefined;
  readonly loadSenders: LoadSenderRules;
  readonly tests: SendTests;
  readonly emitter: Emitter;
  /** Causes that events of workflow messages inherit. */
  readonly causes: LoadCauses;
  readonly statusCallback: StatusCallback;
  /** If true, an SMS is sent again when it is unknown whether the provider accepted it. */
  readonly resendsAmbiguous: boolean;
  /** Reservations of a handover, in order. */
  readonly reservations: readonly BoundReservation[];
  readonly preconditions: readonly Precondition[];
  readonly finalize: Finalize;
};
