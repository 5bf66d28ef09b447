import { templateScopes } from '../../profiles/view.ts';
import type { RenderScopes } from '../../templates/render.ts';
import type { StepContext } from './step.ts';

/** The properties of the event that started the run. */
export const eventScope = ({ run }: Pick<StepContext, 'run'>): Record<string, unknown> => {
  const { properties } = run.triggerEvent;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
};

/** The scopes that a step's templates may use. Source: interface, Template variables. */
export const stepScopes = (context: StepContext): RenderScopes => ({
  event: eventScope(context),
  ...templateScopes(context.profile),
});
