import type { Scope } from '../foundation/scope.ts';
import type { Beckon } from './api.ts';
import type { ProjectClient } from './bound.ts';

type Group = Exclude<keyof ProjectClient, 'scope'>;

/** Functions of each group that take no scope. */
const UNSCOPED = {
  events: [],
  profiles: [],
  audiences: [],
  workflows: [],
  runs: [],
  push: [],
  tokens: [],
  geofences: [],
  liveActivities: [],
  email: ['trackOpen', 'trackClick'],
  sms: [],
  sends: [],
  abTests: [],
  settings: [],
  templates: [],
  outbox: [],
  callbacks: ['receive'],
  suppressions: [],
  subscriptions: ['ofLink', 'changeByLink'],
  emailDomains: [],
  secrets: ['rotateMasterKey'],
  webhooks: [],
  analytics: [],
  auth: [],
  users: [],
} as const satisfies { readonly [G in Group]: readonly Exclude<keyof Beckon[G], keyof ProjectClient[G]>[] };

const boundGroup = (api: object, scope: Scope, unscoped: readonly string[]): object => {
  const calls = Object.entries(api).filter(([name]) => !unscoped.includes(name));
  return Object.fromEntries(
    calls.map(([name, call]) => [name, (...rest: readonly unknown[]): unknown => call(scope, ...rest)]),
  );
};

/** Creates the clients of scopes: one per scope, and each group at its first use. Throws nothing. */
export const clientsOf = (groups: Pick<Beckon, Group>): ((scope: Scope) => ProjectClient) => {
  // Safe: the keys of the object above.
  const names = Object.keys(UNSCOPED) as Group[];
  const clients = new WeakMap<Scope, ProjectClient>();
  return (scope) => {
    const existing = clients.get(scope);
    if (existing) return existing;
    const client = { scope };
    for (const name of names)
      Object.defineProperty(client, name, {
        configurable: true,
        enumerable: true,
        get: () => {
          const value = boundGroup(groups[name], scope, UNSCOPED[name]);
          Object.defineProperty(client, name, { value, enumerable: true });
          return value;
        },
      });
    // Safe: each group has the functions of the group of the same name, with the scope filled in.
    const made = client as ProjectClient;
    clients.set(scope, made);
    return made;
  };
};
