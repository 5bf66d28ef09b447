import type { ProviderName } from '../../packages/core/src/delivery/providers/names.ts';

/** The providers that `send` is measured through. */
export const BENCHED = ['apns', 'fcm', 'webpush', 'smtp', 'twilio'] as const satisfies readonly ProviderName[];
export type BenchedProvider = (typeof BENCHED)[number];
/** What `send` measures: messages through a provider, or deliveries to webhooks. */
export type Benched = BenchedProvider | 'webhook';
