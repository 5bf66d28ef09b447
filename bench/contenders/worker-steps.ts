// Runs of workflows: through the built product with its whole worker, or by hand on the same rows.

import { answerAs } from './worker/side.ts';
import { productSteps } from './worker/steps/product.ts';
import { rawSteps } from './worker/steps/raw.ts';
import { openRuns } from './worker/steps/runs.ts';

/** `raw`, or else the product. */
answerAs(async (start) => {
  const runs = await openRuns(start);
  if (start.way !== 'raw') return productSteps(runs);
  await runs.beckon.close();
  return rawSteps(runs, start.url);
});
