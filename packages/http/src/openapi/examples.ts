import type { BodyName } from '@beckon/core';

const definition = {
  name: 'Welcome',
  description: 'Says hello to whoever signed up.',
  isActive: true,
  trigger: { eventType: 'signed_up', filters: { plan: 'pro' } },
  steps: [
    { type: 'wait', config: { minutes: 10 } },
    { type: 'send_email', config: { subject: 'Hello {{user.userId}}', text: 'Good to see you.' } },
    { type: 'send_push', config: { title: 'Hello', body: 'Good to see you.' }, delayMinutes: 60 },
    { type: 'send_sms', config: { body: 'Hello', onError: 'stop' } },
    { type: 'update_profile', config: { set: { welcomed: true } } },
  ],
};
const event = {
  module: 'shop',
  eventType: 'order_paid',
  properties: { total: 42.5, currency: 'EUR' },
  userId: 'user-42',
  timestamp: '2026-03-01T12:00:00.000Z',
};
const common = { class: 'transactional', category: 'orders', tags: { team: 'shop' } };

/** A body of each kind that its routes take as it is; the document shows them. */
export const examples: Readonly<Record<BodyName, unknown>> = {
  EventInput: event,
  EventBatchInput: { batch: [event, { ...event, eventType: 'order_sent' }], sentAt: '2026-03-01T12:00:01.000Z' },
  IdentifyInput: { userId: 'user-42', anonymousId: 'device-7', traits: { plan: 'pro', email: 'ann@example.com' } },
  ProfileInput: {
    email: 'ann@example.com',
    phone: '+14155550123',
    locale: 'nl-BE',
    timezone: 'Europe/Brussels',
    traits: { plan: 'pro', city: null },
  },
  EmailInput: {
    to: { email: 'ann@example.com', name: 'Ann' },
    replyTo: 'shop@example.com',
    subject: 'Your order',
    text: 'It is on its way.',
    html: '<p>It is on its way.</p>',
    preheader: 'On its way',
    headers: { 'X-Order': '17' },
    attachments: [{ filename: 'bill.txt', contentType: 'text/plain', content: 'SGVsbG8=' }],
    ...common,
  },
  PushInput: {
    userIds: ['user-42'],
    title: 'Your order',
    body: 'It is on its way.',
    data: { order: '17' },
    actions: [{ id: 'track', title: 'Track', url: 'https://shop.example/orders/17' }],
    collapseKey: 'order-17',
    ttlSeconds: 3600,
    priority: 'high',
    badge: 1,
    ...common,
  },
  SmsInput: { to: '+14155550123', body: 'Your order is on its way.', maxSegments: 2, ...common },
  DeviceInput: {
    token: 'fcm-registration-token:0123456789',
    platform: 'android',
    userId: 'user-42',
    locale: 'nl-BE',
    timezone: 'Europe/Brussels',
    appVersion: '3.1.0',
  },
  PushOpenInput: { sendId: '01890000-0000-7000-8000-000000000001', clickAction: 'track' },
  PushDeliveredInput: { sendId: '01890000-0000-7000-8000-000000000001' },
  BundleInput: { version: 1, exportedAt: '2026-03-01T12:00:00.000Z', workflows: [definition] },
  EmailAbTestInput: {
    name: 'Short or long',
    variants: [
      { key: 'short', subject: 'Hello', weight: 50 },
      { key: 'long', subject: 'Hello, and welcome back', text: 'We missed you.', weight: 50 },
    ],
    metric: { type: 'event', eventType: 'order_paid', windowHours: 24 },
  },
  PushAbTestInput: {
    name: 'Short or long',
    variants: [
      { key: 'short', title: 'Hello', body: 'Come back', data: { order: '17' }, weight: 90 },
      { key: 'long', body: 'Come back and see what is new', localizedBody: { es: 'Vuelve' }, weight: 10 },
    ],
  },
  SmsAbTestInput: {
    name: 'Short or long',
    variants: [
      { key: 'short', body: 'Come back', weight: 50 },
      { key: 'long', body: 'Come back and see what is new', weight: 50 },
    ],
    metric: { type: 'click' },
  },
  EmailAbTestPatch: { name: 'Longer or shorter', status: 'paused' },
  PushAbTestPatch: { status: 'completed', winnerKey: 'long' },
  SmsAbTestPatch: { metric: { type: 'event', eventType: 'order_paid' } },
  AbTestCompletion: { winnerKey: 'short' },
  WorkflowInput: definition,
  WorkflowPatch: { isActive: false },
  EmailSettingsInput: {
    smtp: { host: 'smtp.example.com', port: 587, user: 'shop', password: 'secret', from: 'shop@example.com' },
  },
  PushSettingsInput: {
    apns: null,
    orgDefaultTimezone: 'Europe/Paris',
    quietHours: { enabled: true, start: '22:00', end: '08:00' },
    frequencyCap: { enabled: true, rules: [{ channel: 'all', max: 3, per: { n: 1, unit: 'day' } }] },
  },
  SmsSettingsInput: {
    twilio: {
      accountSid: 'AC00000000000000000000000000000000',
      authToken: 'secret',
      from: '+14155550100',
    },
  },
};
