import type {
  ApiKey,
  BeckonOptions,
  DeliveryHealth,
  DryRun,
  MasterKeyRotation,
  Message,
  Org,
  OutboxMessage,
  Page,
  PlaceholderUser,
  Project,
  ProviderTest,
  QueueState,
  Send,
  SendStatus,
  Webhook,
  Workflow,
} from '@beckon/core';

/** Time of everything in a fake. */
export const AT = new Date('2026-11-20T08:00:00.000Z');

/** An error with the name and the fields of core's errors, which are all that the program reads. */
export const coreError = (code: string, message: string, details?: unknown): Error =>
  Object.assign(new Error(message), { name: 'BeckonError', code, details });

/** A schema error of core. */
export const schemaError = (reason: string): Error =>
  Object.assign(new Error('the schema does not fit'), { name: 'SchemaError', reason });

/** State of a fake, which tests fill and inspect. */
export type World = {
  readonly orgs: Org[];
  readonly projects: Project[];
  readonly keys: ApiKey[];
  readonly messages: OutboxMessage[];
  /** Workflows by name. */
  readonly workflows: Map<string, Pick<Workflow, 'name'>>;
  /** Stored provider settings of `prod`, by name. */
  readonly providers: Map<string, unknown>;
  /** Test results of providers; the default is success. */
  readonly tests: Map<string, Partial<ProviderTest>>;
  /** Webhook signing secrets by email provider. */
  readonly callbackSecrets: Map<string, unknown>;
  /** Open circuits of email. */
  readonly openCircuits: DeliveryHealth['openCircuits'][number][];
  /** Health of email; the default is no sends. */
  readonly deliverability: Partial<DeliveryHealth>;
  /** Webhooks of every scope. */
  readonly webhooks: Webhook[];
  readonly queues: QueueState[];
  /** Users of every scope with a placeholder for an id. */
  readonly placeholders: PlaceholderUser[];
  readonly sends: Send[];
  /** Messages of every send. */
  readonly sendMessages: Message[];
  /** Overrides of the accepted send. */
  accepted: Partial<Send>;
  /** Statuses that reads of a send return, in order; then its own status. */
  readonly statuses: SendStatus[];
  /** Bodies that were sent. */
  readonly bodies: unknown[];
  /** Result of a send with `dryRun`. */
  dryRun: DryRun | undefined;
  /** Result of a rotation of the master key. */
  rotation: MasterKeyRotation;
  /** Recorded calls, in order. */
  readonly calls: string[];
  /** Options of every `open`. */
  readonly opened: BeckonOptions[];
  trustedProxies: number | undefined;
  /** Names of applied migrations. */
  readonly applied: string[];
  known: string[];
  /** Folder of the built documentation. */
  docsFolder: string;
  /** Rows that each `drain` handles, in order; then none. */
  due: number[];
  /** Errors thrown by the functions of these names; `send` is that of every channel. */
  failure: {
    importBundle?: Error;
    listen?: Error;
    listenMetrics?: Error;
    open?: Error;
    state?: Error;
    createKey?: Error;
    putSettings?: Error;
    send?: Error;
  };
  /** `worker.stop` waits for this promise. */
  stopping: Promise<void>;
  /** `worker.drain` waits for this after it has counted its rows. */
  draining: () => Promise<void>;
  /** Time limits passed to `worker.stop` and to `close` of the server, in milliseconds. */
  readonly limitsMs: (number | undefined)[];
};

/** An empty database. */
export const world = (): World => ({
  orgs: [],
  projects: [],
  keys: [],
  messages: [],
  workflows: new Map(),
  providers: new Map(),
  tests: new Map(),
  callbackSecrets: new Map(),
  openCircuits: [],
  deliverability: {},
  webhooks: [],
  queues: [],
  placeholders: [],
  sends: [],
  sendMessages: [],
  accepted: {},
  statuses: [],
  bodies: [],
  dryRun: undefined,
  rotation: { dataKeys: 0, values: 0, unreadable: 0, left: 0 },
  calls: [],
  opened: [],
  trustedProxies: undefined,
  applied: [],
  docsFolder: '/nowhere',
  known: ['0000_first'],
  due: [],
  failure: {},
  stopping: Promise.resolve(),
  draining: async () => undefined,
  limitsMs: [],
});

/** Adds an organization with one project: `<name>-org` and `<name>-project`. */
export const addTenant = (to: World, name = 'acme'): void => {
  to.orgs.push({ id: `${name}-org`, name: `${name} org`, plan: 'unlimited', createdAt: AT });
  to.projects.push({ id: `${name}-project`, orgId: `${name}-org`, name: `${name} app`, createdAt: AT });
};

/** An email in the outbox. */
export const message = (id: string, extra: Readonly<Record<string, unknown>> = {}): OutboxMessage => {
  const row = {
    id,
    channel: 'email',
    sendId: 's1',
    messageId: 'm1',
    userId: 'ada',
    address: 'ada@example.com',
    content: { subject: 'Hello', text: 'Good day', html: '<p>Good day</p>' },
    createdAt: AT,
    ...extra,
  };
  // Proof of the cast: commands read only these fields.
  return row as unknown as OutboxMessage;
};

/** Stub of functions that no command calls. */
export const unused = (): never => {
  throw new Error('a command called a function that it must not call');
};

/** A page of rows; the cursor is the index of the next row. */
export const page = <T>(rows: readonly T[], limit: number, cursor: string | undefined): Page<T> => {
  const from = Number(cursor ?? 0);
  const hasMore = rows.length > from + limit;
  return {
    data: rows.slice(from, from + limit),
    pagination: { limit, hasMore, nextCursor: hasMore ? String(from + limit) : null },
  };
};
