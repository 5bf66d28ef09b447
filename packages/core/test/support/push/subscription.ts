/** A browser's PushSubscription as JSON, valid unless changed. */
export const subscriptionJson = (change: {
  readonly endpoint?: string;
  readonly p256dh?: string;
  readonly auth?: string;
}): string =>
  JSON.stringify({
    endpoint: change.endpoint ?? 'https://push.example.com/send/abc',
    expirationTime: null,
    keys: {
      p256dh: change.p256dh ?? Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url'),
      auth: change.auth ?? Buffer.alloc(16, 9).toString('base64url'),
    },
  });
