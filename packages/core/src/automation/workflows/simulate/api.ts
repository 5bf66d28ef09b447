import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { simulateBody } from './schema.ts';

/** Event, user and results of external services for a simulation. */
export interface SimulateInput extends Frozen<z.input<typeof simulateBody>> {}
