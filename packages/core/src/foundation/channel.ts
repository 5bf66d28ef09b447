export type Channel = 'push' | 'email' | 'sms';

export const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];

/** Purpose of a send. Source: contract, Sends. */
export const SEND_CLASSES = ['marketing', 'transactional'] as const;

export type SendClass = (typeof SEND_CLASSES)[number];
