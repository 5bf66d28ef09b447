export type Channel = 'push' | 'email' | 'sms';

export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];
