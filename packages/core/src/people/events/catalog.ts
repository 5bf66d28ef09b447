// The interface's event catalog: which operation emits which name. This version raises every name marked `now`. A
// client with a secret key may send any of these names; the event then counts as the customer's.

/** Where an event without subscribers can be read. With subscribers it is always an event row. */
export type Kept =
  /** An event row. */
  | 'event'
  /**
   * Derived from the message row when a history is read, so a send to a million users does not write a million events.
   */
  | 'message'
  /** Derived from the row of the send. */
  | 'send'
  /** Derived from the rows of the run. */
  | 'run'
  /** Not stored: the affected row shows the current state only. */
  | 'nothing';

/** The feature that will raise the name, or `now` if this version raises it. */
export type Availability = 'now' | 'end-user authentication';

export type CatalogEntry = {
  readonly module: string;
  /** When Beckon raises the event: the end of a sentence that begins with "when". */
  readonly emittedBy: string;
  readonly kept: Kept;
  readonly comesWith: Availability;
};

const now = (module: string, kept: Kept, emittedBy: string): CatalogEntry => ({
  module,
  emittedBy,
  kept,
  comesWith: 'now',
});
const later = (
  module: string,
  kept: Kept,
  comesWith: Exclude<Availability, 'now'>,
  emittedBy: string,
): CatalogEntry => ({
  module,
  emittedBy,
  kept,
  comesWith,
});

/** Every name of the catalog. Source: interface, Outbound webhooks, Event catalog. */
export const CATALOG = {
  'push.send_requested': now(
    'push',
    'send',
    'Beckon accepts a send; the event belongs to the user if the send has exactly one',
  ),
  'push.scheduled': now(
    'push',
    'send',
    'Beckon accepts a send with scheduledFor; the event belongs to the user if the send has exactly one',
  ),
  'push.sent': now('push', 'message', 'APNs, FCM or the push service accepts a message'),
  'push.delivered': now(
    'push',
    'message',
    'a device first reports that it displayed the push (POST /push/track-delivered)',
  ),
  'push.failed': now(
    'push',
    'message',
    'a message ends without being accepted, or Beckon cannot determine the recipients of a send',
  ),
  'push.suppressed': now(
    'push',
    'message',
    'a check stops a message, a recipient has no address, or a send has no recipients',
  ),
  'push.cancelled': now('push', 'message', 'a send is cancelled before its message is handed over'),
  'push.opened': now(
    'push',
    'event',
    'a device reports that the user opened the push or clicked a button (POST /push/track-open)',
  ),
  'push.clicked': now(
    'push',
    'event',
    'a device reports that the user clicked a button of the push (POST /push/track-open)',
  ),
  'push.token_invalidated': now('push', 'event', 'the push service reports that an active token is invalid'),
  'push.live_activity_started': now(
    'push',
    'event',
    'APNs accepts a start, or a device registers an activity that the app started (origin: device)',
  ),
  'push.live_activity_updated': now('push', 'event', 'APNs accepts an update'),
  'push.live_activity_ended': now('push', 'event', 'APNs accepts an end'),
  'push.live_activity_invalidated': now('push', 'event', 'APNs reports that the token of the activity is invalid'),
  'geofence.entered': now('geofence', 'event', 'a device reports the transition; reports within a minute count once'),
  'geofence.exited': now('geofence', 'event', 'a device reports the transition; reports within a minute count once'),
  'geofence.dwelled': now('geofence', 'event', 'a device reports the transition; reports within a minute count once'),
  'email.delivered': now('email', 'message', 'the provider reports the delivery'),
  'email.bounced': now('email', 'message', 'the receiving server rejects the address permanently, at once or later'),
  'email.complained': now('email', 'event', 'the provider reports a spam complaint, or one arrives by email'),
  'email.opened': now(
    'email',
    'event',
    'the tracking pixel loads, or a tracked link is clicked before any open; repeats within a minute count once',
  ),
  'email.clicked': now('email', 'event', 'a tracked link is clicked; repeats within a minute count once'),
  'sms.delivered': now('sms', 'message', 'the provider reports that the phone received the SMS'),
  'sms.failed': now('sms', 'message', 'the provider rejects the SMS, or reports that it was not delivered'),
  'sms.inbound': now('sms', 'event', 'somebody sends an SMS to a number of the project'),
  'sms.stop_received': now('sms', 'event', 'somebody sends STOP or another opt-out keyword'),
  'user.signed_up': later('auth', 'event', 'end-user authentication', 'a user signs up'),
  'user.signed_in': later('auth', 'event', 'end-user authentication', 'a user signs in'),
  'user.identified': now('profiles', 'event', 'Beckon stores a POST /identify call'),
  'user.session_expired': later('auth', 'event', 'end-user authentication', 'a session expires'),
  'user.password_reset': later('auth', 'event', 'end-user authentication', 'a user sets a new password'),
  'workflow.run_started': now('workflow', 'run', 'an event starts a run of a workflow'),
  'workflow.run_completed': now('workflow', 'run', 'a run ends, with any status'),
  'workflow.step_executed': now('workflow', 'run', 'a step of a run ends'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

/**
 * Names raised for workflows only. They are not in the catalog and webhooks never receive them. Source: contract,
 * Audiences.
 */
export const INTERNAL = {
  'audience.entered': now('audiences', 'nothing', 'a user enters an audience that is ready'),
  'audience.left': now('audiences', 'nothing', 'a user leaves an audience that is ready'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

export type CatalogName = keyof typeof CATALOG;
/** Names that `emit` accepts. */
export type RaisedName = CatalogName | keyof typeof INTERNAL;
/** Module and storage of each name. */
export const RAISED_NAMES: Readonly<Record<RaisedName, CatalogEntry>> = { ...CATALOG, ...INTERNAL };

/**
 * True for a name that a public key must not send; otherwise anyone with that key could start workflows with a forged
 * system event. Accepted with a secret key, as an event of the customer. Throws nothing.
 */
export const isReservedName = (eventType: string): boolean => Object.hasOwn(RAISED_NAMES, eventType);

/** Runs started by an event of this depth are stopped. Source: contract, Workflows (stopped at depth 10). */
export const MAX_DEPTH = 10;
