import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

/** Stops a message whose channel or platform has lost its provider since it was accepted. */
export const providerConfigured: Gate = ({ connection }) =>
  connection === null
    ? {
        verdict: 'failed',
        code: 'provider_not_configured',
        message: 'The provider of this address is not configured.',
      }
    : PASS;
