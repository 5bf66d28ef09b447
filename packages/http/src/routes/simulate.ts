import { succeed } from '../pipeline/envelope.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

/** Simulates a workflow. It only computes, so a key with read access may call it. */
export const simulateRoutes: readonly ProjectRoute[] = [
  {
    ...reading('workflows:read'),
    method: 'POST',
    path: '/automation/workflows/:id/simulate',
    summary: 'Simulate a workflow',
    description: 'Returns what each step would do. Nothing is stored, sent or requested.',
    takes: 'SimulateInput',
    answer: { 200: 'Simulation' },
    bodyCap: DEFAULT_BODY_CAP,
    isBodyWhole: true,
    run: async (beckon, call) => succeed(await beckon.workflows.simulate(call.scope, param(call, 'id'), call.body)),
  },
];
