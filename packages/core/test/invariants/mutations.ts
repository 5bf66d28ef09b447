import type { Invariant } from './invariant.ts';
import { automationInvariants } from './mutations/automation.ts';
import { deliveryInvariants } from './mutations/delivery.ts';
import { elsewhereInvariants } from './mutations/elsewhere.ts';
import { eventsInvariants } from './mutations/events.ts';
import { limitsInvariants } from './mutations/limits.ts';
import { privacyInvariants } from './mutations/privacy.ts';
import { tenancyInvariants } from './mutations/tenancy.ts';
import { webhooksInvariants } from './mutations/webhooks.ts';

/** The most important rules. `.ci/run` tries a dozen of them, those of changed files first. */
export const INVARIANTS: readonly Invariant[] = [
  ...automationInvariants,
  ...deliveryInvariants,
  ...elsewhereInvariants,
  ...eventsInvariants,
  ...limitsInvariants,
  ...privacyInvariants,
  ...tenancyInvariants,
  ...webhooksInvariants,
];
