// Which operation emits which name of the interface's event catalog. What is marked `now` is raised by this version. A
// program with a secret key may send any of the names, which makes it an event of the customer.

/** Where something can be read that nobody listens to; what somebody listens to is an event row in any case. */
export type Kept =
  /** As an event row. */
  | 'event'
  /** In the row of its message, from which a person's history is read: a send to a million writes no million events. */
  | 'message'
  /** In the row of its send. */
  | 'send'
  /** In the rows of its run. */
  | 'run'
  /** Nowhere: the row that tells of it says how it stands today. */
  | 'nothing';

/** The feature that a name waits for; `now`: there is nothing to wait for. */
export type Availability = 'now' | 'end-user authentication';

export type CatalogEntry = {
  readonly module: string;
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
  'push.send_requested': now('push', 'send', 'the acceptance of a send, for its person where it is for one user'),
  'push.scheduled': now('push', 'send', 'the acceptance of a send that has scheduledFor, for the same person'),
  'push.sent': now('push', 'message', 'a gateway that accepts a message'),
  'push.delivered': now('push', 'message', 'the first receipt of a device (track-delivered)'),
  'push.failed': now(
    'push',
    'message',
    'a message that ends without having been accepted, or a send whose recipients could not be expanded',
  ),
  'push.suppressed': now(
    'push',
    'message',
    'a message that a gate stops, or that is made for nobody reachable, or a send without recipients',
  ),
  'push.cancelled': now(
    'push',
    'message',
    'a message whose send is cancelled, or a cancelled send that has no message yet',
  ),
  'push.opened': now('push', 'event', 'every report of an open or of an action (track-open)'),
  'push.clicked': now('push', 'event', 'every report of an action that is not the push itself (track-open)'),
  'push.token_invalidated': now('push', 'event', 'a gateway that calls an active token dead'),
  'push.live_activity_started': now(
    'push',
    'event',
    'a start that APNs accepted, or a device that registers an activity which the app began (origin: device)',
  ),
  'push.live_activity_updated': now('push', 'event', 'an update that APNs accepted'),
  'push.live_activity_ended': now('push', 'event', 'an end that APNs accepted'),
  'push.live_activity_invalidated': now('push', 'event', 'APNs, which calls its token dead'),
  'geofence.entered': now('geofence', 'event', 'the report of a device, once a minute'),
  'geofence.exited': now('geofence', 'event', 'the report of a device, once a minute'),
  'geofence.dwelled': now('geofence', 'event', 'the report of a device, once a minute'),
  'email.delivered': now('email', 'message', 'the report of a provider'),
  'email.bounced': now('email', 'message', 'a mail whose address its relay refuses for good, then or later'),
  'email.complained': now('email', 'event', 'the report of a provider, or a complaint that came by mail'),
  'email.opened': now('email', 'event', 'every load of the tracking pixel, and a click before the first'),
  'email.clicked': now('email', 'event', 'every visit of a tracked link'),
  'sms.delivered': now('sms', 'message', 'the report of a provider that the phone has it'),
  'sms.failed': now('sms', 'message', 'a text message that its provider does not take, or reports as not delivered'),
  'sms.inbound': now('sms', 'event', 'a text message to a number of the project'),
  'sms.stop_received': now('sms', 'event', 'a text message that opts out'),
  'user.signed_up': later('auth', 'event', 'end-user authentication', 'a sign-up'),
  'user.signed_in': later('auth', 'event', 'end-user authentication', 'a sign-in'),
  'user.identified': now('profiles', 'event', 'POST /identify, whose item of ingest it is'),
  'user.session_expired': later('auth', 'event', 'end-user authentication', 'a session that ran out'),
  'user.password_reset': later('auth', 'event', 'end-user authentication', 'a password that was set anew'),
  'workflow.run_started': now('workflow', 'run', 'an event that starts a run'),
  'workflow.run_completed': now('workflow', 'run', 'a run that ends, whatever its status'),
  'workflow.step_executed': now('workflow', 'run', 'a step that ends'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

/**
 * Names that the service raises for workflows alone: they are no part of the catalog, and nothing outside is told of them.
 * Source: contract, Audiences.
 */
export const INTERNAL = {
  'audience.entered': now('audiences', 'nothing', 'somebody who comes into an audience, but while it is being built'),
  'audience.left': now('audiences', 'nothing', 'somebody who goes from an audience, but while it is being built'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

export type CatalogName = keyof typeof CATALOG;
/** What `emit` takes. */
export type RaisedName = CatalogName | keyof typeof INTERNAL;
/** Where each of them is raised and kept. */
export const RAISED_NAMES: Readonly<Record<RaisedName, CatalogEntry>> = { ...CATALOG, ...INTERNAL };

/**
 * True for a name that a public key may not send: anybody who has the key could start workflows as if the service had
 * raised the event. With a secret key the name is taken, as an event of the customer. Throws nothing.
 */
export const isReservedName = (eventType: string): boolean => Object.hasOwn(RAISED_NAMES, eventType);

/** Runs whose event is as deep as this are not run. Source: contract, Workflows (stopped at depth 10). */
export const MAX_DEPTH = 10;
