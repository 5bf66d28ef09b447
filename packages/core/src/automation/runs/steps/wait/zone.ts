import { z } from 'zod';
import { isTimeZone } from '../../../../foundation/time-zones.ts';
import { type ZoneClock, zoneClock } from '../../../../foundation/zone-clock.ts';
import { timezoneOf } from '../../../../people/profiles/view.ts';
import type { PlanContext, RunContext } from '../step.ts';

/** Time zone of a wait: the user's, the org's, or a named one. */
export const waitZone = z
  .string()
  .max(64)
  .refine((zone) => zone === 'user' || zone === 'org' || isTimeZone(zone), 'must be user, org or an IANA time zone');

/** The org's time zone, loaded only if the wait may need it. */
export const orgZoneFor = async (
  setting: string | undefined,
  { orgTimezone }: Pick<RunContext, 'orgTimezone'>,
): Promise<string | null> => (setting === 'user' || setting === 'org' ? orgTimezone() : null);

/** Clock of a setting: the user's, or the org's as fallback. Null: no zone is known. Throws nothing. */
export const clockOf = (
  setting: string,
  org: string | null,
  { profile }: Pick<PlanContext, 'profile'>,
): ZoneClock | null => {
  if (setting !== 'user' && setting !== 'org') return zoneClock(setting);
  const own = setting === 'user' && profile ? timezoneOf(profile) : null;
  return (own === null ? null : zoneClock(own)) ?? (org === null ? null : zoneClock(org));
};
