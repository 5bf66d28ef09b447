import { tokenTags } from '../messaging/push/token-tags.ts';
import { orgZoneReader } from '../messaging/settings/reader.ts';
import { audienceDefinitionCache } from '../people/audiences/audiences.ts';
import { knownOf } from '../people/audiences/load-condition-facts.ts';
import { memberWithTraits } from '../people/audiences/member-with-traits.ts';
import { eventReader } from '../people/events/reads.ts';
import { profilesEngine } from '../people/profiles/profiles.ts';
import { plansEngine } from '../platform/plans/plans.ts';
import type { Platform } from '../platform/platform.ts';
import type { Tenancy } from '../platform/tenancy/tenancy.ts';
import type { BeckonOptions } from './options.ts';
import type { Tables } from './tables.ts';

/**
 * Reads that several modules need before the writing module is created. They use the platform only. A reader owns its
 * cache, and fills it outside the host's transaction, which may be rolled back.
 */
export const buildReaders = (
  { storage, tables, clock }: Platform<Tables>,
  tenancy: Pick<Tenancy, 'planNames' | 'setPlan'>,
  options: Pick<BeckonOptions, 'plans'>,
) => {
  const { planNames, setPlan } = tenancy;
  const plans = plansEngine({ storage, clock, plans: options.plans, planNames, setPlan });
  const profiles = profilesEngine({ storage, tables, tokenTags: tokenTags(storage, tables) });
  const events = eventReader({ storage, tables });
  const eventLog = { ...events, movingTo: profiles.movingTo };
  const audiences = audienceDefinitionCache({
    storage,
    tables,
    clock,
    loadOrgZones: orgZoneReader({ storage, tables }),
  });
  const loadKnown = knownOf({ storage, tables, definitions: audiences, log: eventLog });
  return {
    name: 'readers',
    plans,
    profiles,
    /** The event log. */
    eventLog,
    audiences,
    loadKnown,
    isMemberWithTraits: memberWithTraits(audiences, loadKnown),
    close: (): void => {
      audiences.close();
      plans.close();
    },
  };
};
