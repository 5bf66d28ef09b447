import { z } from 'zod';
import { isTimeZone } from '../../../../foundation/time-zones.ts';
import { type ZoneClock, zoneClock } from '../../../../foundation/zone-clock.ts';
import { timezoneOf } from '../../../../people/profiles/view.ts';
import type { PlanContext, RunContext } from '../step.ts';

/** Whose clock a wait goes by: that of the run's person, of the org, or of a zone that is named. */
export const waitZone = z
  .string()
  .max(64)
  .refine((zone) => zone === 'user' || zone === 'org' || isTimeZone(zone), 'must be user, org or an IANA time zone');

/** The zone of the org's settings, where a wait may need it. */
export const orgZoneFor = async (
  setting: string | undefined,
  { orgTimezone }: Pick<RunContext, 'orgTimezone'>,
): Promise<string | null> => (setting === 'user' || setting === 'org' ? orgTimezone() : null);

/** The clock that is asked for: the person's, or the org's where they have none. Null: nobody knows a zone. Throws nothing. */
export const clockOf = (
  setting: string,
  org: string | null,
  { profile }: Pick<PlanContext, 'profile'>,
): ZoneClock | null => {
  if (setting !== 'user' && setting !== 'org') return zoneClock(setting);
  const own = setting === 'user' && profile ? timezoneOf(profile) : null;
  return (own === null ? null : zoneClock(own)) ?? (org === null ? null : zoneClock(org));
};
