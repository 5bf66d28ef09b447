// Inputs of this group's modules, and what each may contribute.

import type { ProvidersPlatform } from '../delivery/providers/module.ts';
import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import type { OwnTransports } from '../delivery/providers/own-transport.ts';
import type { CountPlaceholders } from '../foundation/placeholder-user-id.ts';
import type { InScope } from '../foundation/scope.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import type { MakeQueue } from '../jobs/worker.ts';
import type { Emitter } from '../people/events/emit.ts';
import type { BoundReaction } from '../people/events/pipeline.ts';
import type { LoadProfiles } from '../people/profiles/view.ts';
import type { Eraser } from '../platform/erasure/eraser.ts';
import type { Trace } from '../platform/erasure/erasure.ts';
import type { AnswerOnce } from '../platform/idempotency/once.ts';
import type { Limits } from '../platform/limits/limits.ts';
import type { RequirePlan } from '../platform/plans/plans.ts';
import type { Expiring } from '../platform/plans/retention.ts';
import type { SealedValues } from '../platform/tenancy/rotation.ts';
import type { AbTestsPlatform } from './ab-tests/module.ts';
import type { CallbacksPlatform } from './callbacks/module.ts';
import type { PathTokens } from './callbacks/path-token.ts';
import type { CapsPlatform } from './caps/module.ts';
import type { EmailDomainsPlatform } from './email/domains/module.ts';
import type { TrackingTokens } from './email/tracking-tokens.ts';
import type { GeofencesPlatform } from './push/geofences/module.ts';
import type { LiveActivitiesPlatform } from './push/live-activities/module.ts';
import type { PushPlatform } from './push/module.ts';
import type { SendAudiences } from './sends/audience.ts';
import type { Precondition } from './sends/deliver/message.ts';
import type { BoundReservation } from './sends/deliver/reservations.ts';
import type { BoundMessageReaction } from './sends/finalize/reactions.ts';
import type { LoadCauses } from './sends/lifecycle.ts';
import type { SendsPlatform } from './sends/module.ts';
import type { SettingsPlatform } from './settings/module.ts';
import type { OnOrgZone } from './settings/settings.ts';
import type { SubscriptionsPlatform } from './subscriptions/module.ts';
import type { SuppressionsPlatform } from './suppressions/module.ts';
import type { TemplatesPlatform } from './templates/module.ts';

/** The platform with the tables of all modules of the group. */
export type MessagingPlatform = ProvidersPlatform &
  SettingsPlatform &
  SuppressionsPlatform &
  SubscriptionsPlatform &
  CapsPlatform &
  AbTestsPlatform &
  TemplatesPlatform &
  CallbacksPlatform &
  EmailDomainsPlatform &
  PushPlatform &
  GeofencesPlatform &
  LiveActivitiesPlatform &
  SendsPlatform;

/** What the group uses of other groups. */
export type MessagingNeeds = {
  readonly loadProfiles: LoadProfiles;
  /** The user with this phone number in the profile; null: none. */
  readonly personWith: (scope: InScope, number: string) => Promise<string | null>;
  /** The user that an anonymous id was identified as; null: none yet. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  readonly audiences: SendAudiences;
  readonly emitter: Emitter;
  /** Causes that events of workflow messages inherit. */
  readonly causes: LoadCauses;
  readonly countPlaceholders: CountPlaceholders;
  readonly requirePlan: RequirePlan;
  /** Recomputes what depends on a project's time zone. */
  readonly onOrgZone: OnOrgZone;
  readonly answerOnce: AnswerOnce;
  readonly limits: Pick<Limits, 'hasMailPermit' | 'mailPermits'>;
  readonly hasSeveralOrgs: () => Promise<boolean>;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  /** Signs tracking tokens. */
  readonly links: TrackingTokens;
  readonly unsubscribeTokens: TrackingTokens;
  readonly callbackTokens: PathTokens;
  /** Reactions of modules to the right and of the host, in any order. */
  readonly messageReactions: readonly BoundMessageReaction[];
};

/** Options of the host. Contract: BeckonOptions of the app. */
export type MessagingOptions = {
  readonly publicUrl?: string | undefined;
  readonly outbound?: OutboundOptions | undefined;
  readonly transports?: OwnTransports | undefined;
  readonly email?:
    | {
        readonly dnsServers?: readonly string[] | undefined;
        readonly requireVerifiedDomains?: boolean | undefined;
      }
    | undefined;
  readonly sms?: { readonly resendOnAmbiguous?: boolean | undefined } | undefined;
};

/** Contributions of a module of this group. */
type Part = {
  readonly name: string;
  readonly messageReactions?: readonly BoundMessageReaction[];
  readonly reservations?: readonly BoundReservation[];
  readonly preconditions?: readonly Precondition[];
  readonly ingestReactions?: readonly BoundReaction[];
  readonly queues?: readonly MakeQueue[];
  readonly erasers?: readonly Eraser[];
  readonly traces?: readonly Trace[];
  readonly expiring?: readonly Expiring[];
  readonly maintenance?: readonly MaintenanceTask[];
  readonly sealedValues?: readonly SealedValues[];
  close?(): void | Promise<void>;
};

/** Rejects keys that `Part` lacks: every contribution is optional, so a misspelt one would be ignored silently. */
type NoOtherParts<M> = Readonly<Record<Exclude<keyof M, keyof Part | 'api' | 'openApi' | 'internal'>, never>>;

/** Modules in build order. */
export const partsOf = <Parts extends readonly Part[]>(
  ...parts: Parts & { readonly [Index in keyof Parts]: NoOtherParts<Parts[Index]> }
): readonly Part[] => parts;
