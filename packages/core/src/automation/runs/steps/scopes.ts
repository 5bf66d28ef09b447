import type { Recipient } from '../../../messaging/sends/schema.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import type { RenderScopes } from '../../../messaging/templates/render.ts';
import { templateScopes } from '../../../people/profiles/view.ts';
import type { PlanContext } from './step.ts';

/** The properties of the event that started the run. */
export const eventScope = ({
  run,
}: {
  readonly run: Pick<PlanContext['run'], 'triggerEvent'>;
}): Record<string, unknown> => {
  const { properties } = run.triggerEvent;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
};

/** The scopes that a step's templates may use. Source: interface, Template variables; contract, Workflows (`steps`). */
export const stepScopes = (context: Pick<PlanContext, 'run' | 'profile'>): RenderScopes => ({
  event: eventScope(context),
  ...templateScopes(context.profile),
  steps: context.run.saved,
});

const ofKeys = (scope: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(scope).filter(([key]) => keys.has(key)));

/** A root and what is named of it: a message takes no more along than its texts read. */
type Named = { readonly [Name in 'user' | 'trait' | 'steps']: Set<string> };

const namedIn = (texts: readonly (string | undefined)[]): Named => {
  const named: Named = { user: new Set(), trait: new Set(), steps: new Set() };
  for (const text of texts)
    for (const { root, keys } of compileTemplate(text ?? '').placeholders)
      if ((root === 'user' || root === 'trait' || root === 'steps') && keys[0] !== undefined) named[root].add(keys[0]);
  return named;
};

/**
 * The scopes that a step's send brings along. A message to an address has no person, so of the run's person goes along
 * what the texts name, as it is when the step runs; to a user everything is read when it is delivered. What steps saved
 * goes along where the texts name it.
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
  const named = namedIn(texts);
  const steps = named.steps.size > 0 ? { steps: ofKeys(context.run.saved, named.steps) } : {};
  if (recipient.kind === 'user') return { event, ...steps };
  const { user, trait } = templateScopes(context.profile);
  return { event, user: ofKeys(user, named.user), trait: ofKeys(trait, named.trait), ...steps };
};
