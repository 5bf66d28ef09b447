import { templateScopes } from '../../profiles/view.ts';
import type { Recipient } from '../../sending/schema.ts';
import { compileTemplate } from '../../templates/compile.ts';
import type { RenderScopes } from '../../templates/render.ts';
import type { PlanContext } from './step.ts';

/** The properties of the event that started the run. */
export const eventScope = ({ run }: Pick<PlanContext, 'run'>): Record<string, unknown> => {
  const { properties } = run.triggerEvent;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
};

/** The scopes that a step's templates may use. Source: interface, Template variables. */
export const stepScopes = (context: Pick<PlanContext, 'run' | 'profile'>): RenderScopes => ({
  event: eventScope(context),
  ...templateScopes(context.profile),
});

const ofKeys = (scope: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(scope).filter(([key]) => keys.has(key)));

/**
 * The scopes that a step's send brings along. A message to an address has no person, so of the run's person goes along
 * what the texts name, as it is when the step runs; to a user everything is read when it is delivered.
 *
 * @param variables values of `event.*` that win over the trigger's
 */
export const sentScopes = (
  context: Pick<PlanContext, 'run' | 'profile'>,
  recipient: Recipient,
  texts: readonly (string | undefined)[],
  variables: Readonly<Record<string, unknown>> = {},
): RenderScopes => {
  const event = { ...eventScope(context), ...variables };
  if (recipient.kind === 'user') return { event };
  const named = { user: new Set<string>(), trait: new Set<string>() };
  for (const text of texts)
    for (const { root, keys } of compileTemplate(text ?? '').placeholders)
      if ((root === 'user' || root === 'trait') && keys[0] !== undefined) named[root].add(keys[0]);
  const { user, trait } = templateScopes(context.profile);
  return { event, user: ofKeys(user, named.user), trait: ofKeys(trait, named.trait) };
};
