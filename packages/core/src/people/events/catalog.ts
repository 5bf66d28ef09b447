// The interface's event catalog: which operation raises which name. A client with a secret key may send any of these
// names; the event then counts as the customer's.

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

export type CatalogEntry = {
  readonly module: string;
  /** When Beckon raises the event: the end of a sentence that begins with "when". */
  readonly emittedBy: string;
  readonly kept: Kept;
};

const raised = (module: string, kept: Kept, emittedBy: string): CatalogEntry => ({ module, emittedBy, kept });

/** Every name of the catalog. Source: interface, Outbound webhooks, Event catalog. */
export const CATALOG = {
  'push.send_requested': raised(
    'push',
    'send',
    'Beckon accepts a send; the event belongs to the user if the send has exactly one',
  ),
  'push.scheduled': raised(
    'push',
    'send',
    'Beckon accepts a send with scheduledFor; the event belongs to the user if the send has exactly one',
  ),
  'push.sent': raised('push', 'message', 'APNs, FCM or the push service accepts a message'),
  'push.delivered': raised(
    'push',
    'message',
    'a device first reports that it displayed the push (POST /push/track-delivered)',
  ),
  'push.failed': raised(
    'push',
    'message',
    'a message ends without being accepted, or Beckon cannot determine the recipients of a send',
  ),
  'push.suppressed': raised(
    'push',
    'message',
    'a check stops a message, a recipient has no address, or a send has no recipients',
  ),
  'push.cancelled': raised('push', 'message', 'a send is cancelled before its message is handed over'),
  'push.opened': raised(
    'push',
    'event',
    'a device reports that the user opened the push or clicked a button (POST /push/track-open)',
  ),
  'push.clicked': raised(
    'push',
    'event',
    'a device reports that the user clicked a button of the push (POST /push/track-open)',
  ),
  'push.token_invalidated': raised('push', 'event', 'the push service reports that an active token is invalid'),
  'push.live_activity_started': raised(
    'push',
    'event',
    'APNs accepts a start, or a device registers an activity that the app started (origin: device)',
  ),
  'push.live_activity_updated': raised('push', 'event', 'APNs accepts an update'),
  'push.live_activity_ended': raised('push', 'event', 'APNs accepts an end'),
  'push.live_activity_invalidated': raised('push', 'event', 'APNs reports that the token of the activity is invalid'),
  'geofence.entered': raised(
    'geofence',
    'event',
    'a device reports the transition; reports within a minute count once',
  ),
  'geofence.exited': raised('geofence', 'event', 'a device reports the transition; reports within a minute count once'),
  'geofence.dwelled': raised(
    'geofence',
    'event',
    'a device reports the transition; reports within a minute count once',
  ),
  'email.delivered': raised('email', 'message', 'the provider reports the delivery'),
  'email.bounced': raised('email', 'message', 'the receiving server rejects the address permanently, at once or later'),
  'email.complained': raised('email', 'event', 'the provider reports a spam complaint, or one arrives by email'),
  'email.opened': raised(
    'email',
    'event',
    'the tracking pixel loads, or a tracked link is clicked before any open; repeats within a minute count once',
  ),
  'email.clicked': raised('email', 'event', 'a tracked link is clicked; repeats within a minute count once'),
  'sms.delivered': raised('sms', 'message', 'the provider reports that the phone received the SMS'),
  'sms.failed': raised('sms', 'message', 'the provider rejects the SMS, or reports that it was not delivered'),
  'sms.inbound': raised('sms', 'event', 'somebody sends an SMS to a number of the project'),
  'sms.stop_received': raised('sms', 'event', 'somebody sends STOP or another opt-out keyword'),
  'user.signed_up': raised(
    'auth',
    'event',
    'an account becomes usable: with the first proof of its address if the project requires one',
  ),
  'user.signed_in': raised('auth', 'event', 'a sign-in starts a session'),
  'user.identified': raised(
    'profiles',
    'event',
    'Beckon stores a POST /identify call, or an account of sign-in changes',
  ),
  'user.session_expired': raised('auth', 'event', 'a session ends that neither the user nor a new password ended'),
  'user.password_reset': raised('auth', 'event', 'a user sets a new password'),
  'workflow.run_started': raised('workflow', 'run', 'an event starts a run of a workflow'),
  'workflow.run_completed': raised('workflow', 'run', 'a run ends, with any status'),
  'workflow.step_executed': raised('workflow', 'run', 'a step of a run ends'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

/**
 * Names raised for workflows only. They are not in the catalog and webhooks never receive them. Source: contract,
 * Audiences.
 */
export const INTERNAL = {
  'audience.entered': raised('audiences', 'nothing', 'a user enters an audience that is ready'),
  'audience.left': raised('audiences', 'nothing', 'a user leaves an audience that is ready'),
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
