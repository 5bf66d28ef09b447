import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

const MISSING = {
  code: 'provider_not_configured',
  message: 'The provider of this address is not configured.',
} as const;

/** Stops a message whose channel or platform lost its provider after acceptance. */
export const providerConfigured: Gate = {
  name: 'provider_configured',
  evaluate: ({ connection }) => (connection === null ? { verdict: 'failed', ...MISSING } : PASS),
  evidence: ({ row: { channel, facts }, connection }) => ({
    channel,
    platform: facts.platform ?? null,
    provider: connection?.provider ?? null,
  }),
  stopped: ({ status, errorCode }) => status === 'failed' && errorCode === MISSING.code,
  storedEvidence: ({ channel, facts }) => ({ channel, platform: facts.platform ?? null }),
};
