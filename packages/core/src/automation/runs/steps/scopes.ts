import type { Recipient } from '../../../messaging/sends/schema.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import type { RenderScopes } from '../../../messaging/templates/render.ts';
import { templateScopes } from '../../../people/profiles/view.ts';
import type { PlanContext } from './step.ts';

/** Properties of the run's trigger event. */
export const eventScope = ({
  run,
}: {
  readonly run: Pick<PlanContext['run'], 'triggerEvent'>;
}): Record<string, unknown> => {
  const { properties } = run.triggerEvent;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
};

/** Template scopes of a step. Source: interface, Template variables; contract, Workflows (`steps`). */
export const stepScopes = (context: Pick<PlanContext, 'run' | 'profile'>): RenderScopes => ({
  event: eventScope(context),
  ...templateScopes(context.profile),
  steps: context.run.saved,
});

const ofKeys = (scope: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(scope).filter(([key]) => keys.has(key)));

/** Names used by texts, per root: a message stores only what its texts read. */
type Named = { readonly [Name in 'user' | 'trait' | 'steps']: Set<string> };

const namedIn = (texts: readonly (string | undefined)[]): Named => {
  const named: Named = { user: new Set(), trait: new Set(), steps: new Set() };
  for (const text of texts)
    for (const { root, keys } of compileTemplate(text ?? '').placeholders)
      if ((root === 'user' || root === 'trait' || root === 'steps') && keys[0] !== undefined) named[root].add(keys[0]);
  return named;
};

/**
 * Scopes stored with a step's send. A message to an address belongs to no user, so it stores the values of the run's
 * user that its texts use, as of now. For a user, values are read at delivery. Saved outputs are stored if the texts
 * use them.
 *
 * @param variables values of `event.*` that override the trigger's
 */
export const sentScopes = (
  context: Pick<PlanContext, 'run' | 'profile'>,
  recipient: Recipient,
  texts: readonly (string | undefined)[],
  variables: Readonly<Record<string, unknown>> = {},
): RenderScopes => {
  const event = { ...eventScope(context), ...variables };
  const named = namedIn(texts);
  const steps = named.steps.size > 0 ? { steps: ofKeys(context.run.saved, named.steps) } : {};
  if (recipient.kind === 'user') return { event, ...steps };
  const { user, trait } = templateScopes(context.profile);
  return { event, user: ofKeys(user, named.user), trait: ofKeys(trait, named.trait), ...steps };
};
