import type {
  DeliveryHealth,
  Org,
  Page,
  PlaceholderUser,
  Project,
  ProviderTest,
  QueueState,
  Webhook,
} from '@beckon/core';

/** Time of everything in a fake. */
export const AT = new Date('2026-11-20T08:00:00.000Z');

/** An error with the name and the fields of core's errors, which are all that the program reads. */
export const coreError = (code: string, message: string, details?: unknown): Error =>
  Object.assign(new Error(message), { name: 'BeckonError', code, details });

/** State of a fake, which tests fill and inspect. */
export type World = {
  readonly orgs: Org[];
  readonly projects: Project[];
  /** Stored provider settings of `prod`, by name. */
  readonly providers: Map<string, unknown>;
  /** Test results of providers; the default is success. */
  readonly tests: Map<string, Partial<ProviderTest>>;
  /** Open circuits of email. */
  readonly openCircuits: DeliveryHealth['openCircuits'][number][];
  /** Health of email; the default is no sends. */
  readonly deliverability: Partial<DeliveryHealth>;
  /** Webhooks of every scope. */
  readonly webhooks: Webhook[];
  readonly queues: QueueState[];
  /** Users of every scope with a placeholder for an id. */
  readonly placeholders: PlaceholderUser[];
  /** Recorded calls, in order. */
  readonly calls: string[];
  /** Errors thrown by the functions of these names. */
  failure: { open?: Error; state?: Error; putSettings?: Error };
};

/** An empty database. */
export const world = (): World => ({
  orgs: [],
  projects: [],
  providers: new Map(),
  tests: new Map(),
  openCircuits: [],
  deliverability: {},
  webhooks: [],
  queues: [],
  placeholders: [],
  calls: [],
  failure: {},
});

/** Adds an organization with one project: `<name>-org` and `<name>-project`. */
export const addTenant = (to: World, name = 'acme'): void => {
  to.orgs.push({ id: `${name}-org`, name: `${name} org`, plan: 'unlimited', createdAt: AT });
  to.projects.push({ id: `${name}-project`, orgId: `${name}-org`, name: `${name} app`, createdAt: AT });
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
