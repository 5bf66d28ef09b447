// Caps on the definitions of a project or an environment. The modules that create definitions enforce them; the OpenAPI
// document and the guides list them.

import type { Cap } from './errors.ts';

export const DEFINITION_CAPS = {
  /** Source: contract, section 14. Each event is compared with the trigger of each active workflow on its name. */
  activeWorkflows: {
    name: 'active_workflows',
    max: 1_000,
    rule: 'A project has at most 1000 active workflows.',
    remedy: 'Deactivate or delete a workflow first.',
  },
  /** Source: contract, section 14. */
  activeWorkflowsOfEvent: {
    name: 'active_workflows_of_event',
    max: 100,
    rule: 'A project has at most 100 active workflows for one event name.',
    remedy: 'Deactivate or delete a workflow on this event name first.',
  },
  /** Source: contract, section 14. An identify call may evaluate all of them. */
  audiences: {
    name: 'audiences',
    max: 1_000,
    rule: 'An environment has at most 1000 audiences.',
    remedy: 'Delete an audience first.',
  },
  /** Sum over all dynamic audiences. Source: contract, section 14. */
  audienceLeaves: {
    name: 'audience_leaves',
    max: 20_000,
    rule: 'The predicates of an environment have at most 20000 leaves in all, each test of a "where" among them.',
    remedy: 'Make a predicate smaller or delete an audience first.',
  },
  /** Source: contract, section 14. Each event that a webhook subscribes to is a row. */
  webhooks: {
    name: 'webhooks',
    max: 100,
    rule: 'An environment has at most 100 webhooks.',
    remedy: 'Delete a webhook first.',
  },
  /** Measured: finding the nearest one reads all of them, 3 ms at this number. */
  geofences: {
    name: 'geofences',
    max: 10_000,
    rule: 'An environment has at most 10000 geofences.',
    remedy: 'Delete a geofence first.',
  },
  /** Chosen: more than one team manages by hand. */
  emailDomains: {
    name: 'email_domains',
    max: 100,
    rule: 'An environment has at most 100 email domains.',
    remedy: 'Remove a domain first.',
  },
  /** Chosen: one per customer of a product that sells to businesses. */
  ssoConnections: {
    name: 'sso_connections',
    max: 2_000,
    rule: 'An environment has at most 2000 SSO connections.',
    remedy: 'Delete a connection first.',
  },
  /** Chosen: a few per connection. */
  ssoDomains: {
    name: 'sso_domains',
    max: 10_000,
    rule: 'An environment has at most 10000 SSO domains.',
    remedy: 'Delete a domain first.',
  },
} as const satisfies Readonly<Record<string, Cap>>;
