import type {
  ApiKey,
  BeckonOptions,
  DeliveryHealth,
  DryRun,
  MasterKeyRotation,
  Message,
  Org,
  Page,
  PlaceholderUser,
  Project,
  ProviderTest,
  QueueState,
  SandboxMessage,
  Send,
  SendStatus,
  Webhook,
  Workflow,
} from '@beckon/core';

/** When everything in a fake happened. */
export const AT = new Date('2026-11-20T08:00:00.000Z');

/** An error with the name and the fields of core's own, which is all that the program looks at. */
export const coreError = (code: string, message: string, details?: unknown): Error =>
  Object.assign(new Error(message), { name: 'BeckonError', code, details });

/** An error as core throws it about a schema. */
export const schemaError = (reason: string): Error =>
  Object.assign(new Error('the schema does not fit'), { name: 'SchemaError', reason });

/** What a fake holds; a test fills it and looks into it. */
export type World = {
  readonly orgs: Org[];
  readonly projects: Project[];
  readonly keys: ApiKey[];
  readonly messages: SandboxMessage[];
  /** Workflows by name, as the bundle has them. */
  readonly workflows: Map<string, Pick<Workflow, 'name'>>;
  /** What providers of `prod` were given, by name. */
  readonly providers: Map<string, unknown>;
  /** What providers say of their credentials, where they do not take them. */
  readonly tests: Map<string, Partial<ProviderTest>>;
  /** What callbacks of mail providers are checked with, by their names. */
  readonly callbackSecrets: Map<string, unknown>;
  /** Of email. */
  readonly openCircuits: DeliveryHealth['openCircuits'][number][];
  /** Of mails, what differs from nothing. */
  readonly deliverability: Partial<DeliveryHealth>;
  /** Of every scope. */
  readonly webhooks: Webhook[];
  readonly queues: QueueState[];
  /** Users of every scope with a placeholder for an id. */
  readonly placeholders: PlaceholderUser[];
  readonly sends: Send[];
  /** Messages of every send. */
  readonly sendMessages: Message[];
  /** What the accepted send differs in. */
  accepted: Partial<Send>;
  /** Statuses that looks at a send find, in order; then its own. */
  readonly statuses: SendStatus[];
  /** Bodies that were sent. */
  readonly bodies: unknown[];
  /** Answers a send with `dryRun`. */
  dryRun: DryRun | undefined;
  /** What a rotation of the master key does. */
  rotation: MasterKeyRotation;
  /** What happened, in order. */
  readonly calls: string[];
  /** Options of every `open`. */
  readonly opened: BeckonOptions[];
  trustedProxies: number | undefined;
  /** Names of migrations that were applied. */
  readonly applied: string[];
  known: string[];
  /** Where the built documentation would be. */
  docsFolder: string;
  /** Rows that each `drain` handles, in order; then none. */
  due: number[];
  /** Thrown by the function of that name when set; `send` is that of every channel. */
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
  /** What `worker.stop` waits for. */
  stopping: Promise<void>;
  /** What `worker.drain` waits for, once it has counted its rows. */
  draining: () => Promise<void>;
  /** Time limits that `worker.stop` and the server's `close` were given, in milliseconds. */
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

/** Adds an org with one project: `<name>-org` and `<name>-project`. */
export const addTenant = (to: World, name = 'acme'): void => {
  to.orgs.push({ id: `${name}-org`, name: `${name} org`, plan: 'unlimited', createdAt: AT });
  to.projects.push({ id: `${name}-project`, orgId: `${name}-org`, name: `${name} app`, createdAt: AT });
};

/** A caught email. */
export const message = (id: string, extra: Readonly<Record<string, unknown>> = {}): SandboxMessage => {
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
  // Proof of the cast: of the content commands look at what is there, and nothing else.
  return row as unknown as SandboxMessage;
};

/** For functions that no command calls. */
export const unused = (): never => {
  throw new Error('a command called what it has no business with');
};

/** A page of rows; the cursor is the place of the next one. */
export const page = <T>(rows: readonly T[], limit: number, cursor: string | undefined): Page<T> => {
  const from = Number(cursor ?? 0);
  const hasMore = rows.length > from + limit;
  return {
    data: rows.slice(from, from + limit),
    pagination: { limit, hasMore, nextCursor: hasMore ? String(from + limit) : null },
  };
};
