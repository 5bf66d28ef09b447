import { MAX_PROFILE_BYTES, MAX_PROFILE_TRAITS } from '../../profiles/merge.ts';
import { applyUpdate, templateValue } from '../../workflows/update-profile.ts';
import { stepScopes } from './scopes.ts';
import type { StepHandler } from './step.ts';

const limits = { maxTraits: MAX_PROFILE_TRAITS, maxBytes: MAX_PROFILE_BYTES };

/** Changes the person's traits. What no longer fits is left out and marks the profile. */
export const updateProfile: StepHandler<'update_profile'> = (config, context) => {
  const { profile } = context;
  const done = applyUpdate(profile?.traits ?? {}, config, templateValue(stepScopes(context)), limits);
  if (done.outcome === 'error') return { outcome: 'error', reason: done.reason };
  if (done.changed.length === 0 && done.dropped.length === 0) return { outcome: 'ok' };
  const isTruncated = (profile?.isTruncated ?? false) || done.dropped.length > 0;
  return { outcome: 'ok', left: { traits: done.traits, isTruncated } };
};
