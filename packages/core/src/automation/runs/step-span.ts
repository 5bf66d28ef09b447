import type { Tracing } from '../../foundation/telemetry.ts';
import { type Begun, begin } from './advance.ts';
import { stepAt } from './cursor.ts';

/** As `begin`, and makes a span of the step while it runs. The span of its commit comes later, for a whole batch. */
export const tracedBegin =
  (tracing: Tracing): typeof begin =>
  (catalog, steps, context) => {
    const { run, path } = context;
    const type = steps ? stepAt(steps, path, catalog.armsOf)?.type : undefined;
    const attributes = {
      'beckon.run_id': run.id,
      'beckon.workflow_id': run.workflowId,
      'beckon.step.path': path,
      'beckon.step.type': type,
      'beckon.attempt': run.attempt,
    };
    return tracing.trace(`step ${type ?? 'none'}`, { scope: run.scope, attributes }, (span) => {
      const checked = (begun: Begun): Begun => {
        if (begun.kind === 'failed') span.fail(begun.error);
        return begun;
      };
      const begun = begin(catalog, steps, context);
      return begun instanceof Promise ? begun.then(checked) : checked(begun);
    });
  };
