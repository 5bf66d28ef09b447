import { templateScopes } from '../../profiles/view.ts';
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
