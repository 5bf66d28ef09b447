import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { simulateBody } from './schema.ts';

/** An event and a person, and what the world answers a workflow that is simulated. */
export interface SimulateInput extends Frozen<z.input<typeof simulateBody>> {}
