import { tablesOf } from './tables.ts';

/** What drizzle-kit reads to generate the sqlite migrations. */
export const {
  orgs,
  projects,
  scopes,
  apiKeys,
  apiKeyGrants,
  dataKeys,
  secrets,
  events,
  eventMessageIds,
  raisedEvents,
  eventPeople,
  eventPeopleMark,
  profiles,
  aliases,
  workflows,
  workflowVersions,
  runs,
  runSteps,
  pushTokens,
  sends,
  messages,
  sandboxMessages,
  credentials,
  idempotencyKeys,
} = tablesOf('sqlite');
