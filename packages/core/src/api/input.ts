// What a host program passes in, typed from the schemas that check it: what compiles may still be refused for a value,
// and what a schema gives a default to may be left out.

import type { z } from 'zod';
import type { CallbackChange } from '../email/callbacks/settings.ts';
import type { emailAudienceInput, emailInput } from '../email/schema.ts';
import type { eventBody, identifyBody } from '../events/schema.ts';
import type { Frozen } from '../primitives/frozen.ts';
import type { profileBody } from '../profiles/schema.ts';
import type { PROVIDERS } from '../providers/names.ts';
import type { providerSettings } from '../providers/schema.ts';
import type { pushAudienceInput, pushInput } from '../push/body.ts';
import type { geofenceBody, geofenceEventBody, geofencePatch } from '../push/geofences/schema.ts';
import type {
  activityEndBody,
  activityStartBody,
  activityTokenBody,
  activityUpdateBody,
} from '../push/live-activities/schema.ts';
import type { deliveredBody, openBody, registrationBody } from '../push/schema.ts';
import type { channelSettings, sharedSettings } from '../settings/schema.ts';
import type { smsAudienceInput, smsInput } from '../sms/schema.ts';
import type { subscriptionsBody } from '../subscriptions/schema.ts';
import type { additions, ListChannel, removals } from '../suppressions/schema.ts';
import type { bundleSchema, workflowBody, workflowPatch } from '../workflows/schema.ts';
import type { simulateBody } from '../workflows/simulate/schema.ts';
import type { Channel } from './delivery.ts';

/**
 * Something that happened. `userId`, `anonymousId` or both are needed. `timestamp` and `sentAt` are ISO 8601; traits
 * of a user are merged into the profile, null unsets one. A `messageId` takes effect once in 72 h. A placeholder such as
 * "undefined" is no userId: the event is stored under its anonymousId, and refused where it has none.
 */
export type EventInput = Frozen<z.input<typeof eventBody>>;
/** 1 to 500 events; `sentAt` is for those that have none. */
export type EventBatchInput =
  | { readonly batch: readonly EventInput[]; readonly sentAt?: string | undefined }
  | readonly EventInput[];
/** Who somebody is: a user, with the anonymous id that they had before where there is one. Null unsets a trait. */
export type IdentifyInput = Frozen<z.input<typeof identifyBody>>;

/**
 * What an operator says of a user; null unsets. `email` and `phone` are where messages go, before any trait; `locale` and
 * `timezone` win over what devices say; traits are merged, and a null among them unsets one.
 */
export type ProfileInput = Frozen<z.input<ReturnType<typeof profileBody>>>;

/** What a template may bring is needed where none is named. */
type OrTemplate<Input, Field extends keyof Input> =
  | (Input & { readonly [Needed in Field]-?: Exclude<Input[Needed], undefined> })
  | (Input & { readonly templateId: string });

/**
 * A mail: exactly one of `to`, `userIds` and `audienceId`; at least one of `text`, `html` and `bodyHtml`, unless the template that it names
 * brings one. Texts are templates.
 */
export type EmailInput = OrTemplate<Frozen<z.input<typeof emailInput>>, 'subject'>;
/** A push: one of `userIds`, `audienceId` and `tokens` (which win); one of `title`, `body` and `data`. Texts are templates. */
export type PushInput = Frozen<z.input<typeof pushInput>>;
/** A text message: exactly one of `to` (E.164), `userIds` and `audienceId`. The body is a template. */
export type SmsInput = OrTemplate<Frozen<z.input<typeof smsInput>>, 'body'>;

/** A mail to whoever is a member of an audience. */
export type EmailAudienceInput = OrTemplate<Frozen<z.input<typeof emailAudienceInput>>, 'subject'>;
/** A push to whoever is a member of an audience. */
export type PushAudienceInput = Frozen<z.input<typeof pushAudienceInput>>;
/** A text message to whoever is a member of an audience. */
export type SmsAudienceInput = OrTemplate<Frozen<z.input<typeof smsAudienceInput>>, 'body'>;

/** A device that asks to be reached. What is left out keeps its value, null unsets it. */
export type DeviceInput = Frozen<z.input<typeof registrationBody>>;
/** A device reports that a push was opened; `clickAction` is the id of the button that was tapped. */
export type PushOpenInput = Frozen<z.input<typeof openBody>>;
/** A device reports that it showed a push. */
export type PushDeliveredInput = Frozen<z.input<typeof deliveredBody>>;

/** The token of a live activity on a device, with `externalId`, or (`push_to_start`) one that starts such activities. */
export type ActivityTokenInput = Frozen<z.input<typeof activityTokenBody>>;
/** A live activity that begins on the devices of users. */
export type ActivityStartInput = Frozen<z.input<typeof activityStartBody>>;
/** The state that a live activity shows next. */
export type ActivityUpdateInput = Frozen<z.input<typeof activityUpdateBody>>;
/** The state that a live activity shows last, and when it goes. */
export type ActivityEndInput = Frozen<z.input<typeof activityEndBody>>;
/** A round place that devices watch; without `transitions` all of them. */
export type GeofenceInput = Frozen<z.input<typeof geofenceBody>>;
/** What changes of a geofence; the rest stays. */
export type GeofencePatch = Frozen<z.input<typeof geofencePatch>>;
/** A device reports that it crossed a geofence; one of `userId`, `anonymousId` and `tokenId` is needed. */
export type GeofenceEventInput = Frozen<z.input<typeof geofenceEventBody>>;

/** Workflows as they are exported, version 1. Names are distinct. */
export type BundleInput = Frozen<z.input<typeof bundleSchema>>;
/** One workflow. What is left out: `description` is null, `isActive` false. */
export type WorkflowInput = Frozen<z.input<typeof workflowBody>>;
/** An event and a person, and what the world answers a workflow that is simulated. */
export type SimulateInput = Frozen<z.input<typeof simulateBody>>;
/** What changes of a workflow; the rest stays. */
export type WorkflowPatch = Frozen<z.input<typeof workflowPatch>>;

/** The providers of a channel: APNs, FCM and Web Push of `push`, SMTP of `email`, Twilio and Telnyx of `sms`. */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];
type Changes<Shape extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Shape]?: Frozen<z.input<Shape[Key]>> | null | undefined;
};
/**
 * What is set of a channel: credentials of its providers by name, and how its messages go out. Null removes credentials
 * and gives any other value its default; what is left out is not touched.
 */
export type SettingsInput<C extends Channel> = {
  readonly [P in ProviderOf<C>]?: Frozen<z.input<(typeof providerSettings)[P]>> | null | undefined;
} & Changes<typeof sharedSettings> &
  Changes<(typeof channelSettings)[C]> &
  (C extends 'email' ? { readonly callbacks?: Frozen<CallbackChange> } : unknown);

/** Addresses for a channel's list, exactly one of `address` and `addresses`; the reason is `manual` unless told. */
export type SuppressionInput<C extends ListChannel> = Frozen<z.input<(typeof additions)[C]>>;
/** Addresses that go from it: for one reason, and one sender, where they are told. */
export type SuppressionRemovalInput<C extends ListChannel> = Frozen<z.input<(typeof removals)[C]>>;

/** What a user chose of each channel: what is left out stays, null forgets a choice. */
export type SubscriptionsInput = Frozen<z.input<typeof subscriptionsBody>>;
