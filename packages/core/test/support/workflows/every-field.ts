// Valid steps that together use every field of every step type and every kind of condition: where mutations start.

import type { StepConfigs, StepInput } from '../../../src/automation/runs/steps/input.ts';
import type { ConditionInput } from '../../../src/people/audiences/predicate/types.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const common = { name: 'Step', onError: 'continue', saveAs: 'out' } as const;
const sent = {
  class: 'marketing',
  category: 'Weekly news',
  templateId: ID,
  abTestId: ID,
  variables: { a: '{{event.a}}' },
} as const;

/** Conditions of every kind. */
const CONDITIONS: readonly ConditionInput[] = [
  { trait: 'plan', op: 'set' },
  { trait: 'user.email', op: 'eq', value: 'ada@example.com' },
  { path: 'event.plan.name', op: 'in', value: ['pro', 2, true] },
  { path: 'user.locale', op: 'contains', value: 'e', caseSensitive: true },
  { trait: 'age', op: 'gte', value: 18 },
  { trait: 'age', op: 'between', value: [18, 65] },
  { path: 'steps.mood.words', op: 'includes', value: 'good' },
  { path: 'trait.tags', op: 'includes_any', value: ['a', 'b'] },
  { trait: 'user.createdAt', op: 'after', value: '2026-01-01', timezone: 'org' },
  { trait: 'trial_ends', op: 'within_next', value: { n: 3, unit: 'days' }, timezone: 'Europe/Paris' },
  { path: 'event.version', op: 'ver_gte', value: '2.10' },
  { audience: ID, op: 'in' },
  {
    event: 'order.placed',
    op: 'performed',
    count: { gte: 1, lte: 3 },
    within: { n: 30, unit: 'days' },
    where: [
      { path: 'total', op: 'gt', value: 10 },
      { path: 'at', op: 'before', value: 1_700_000_000, timezone: 'UTC' },
    ],
  },
  { all: [{ any: [{ not: { trait: 'a', op: 'not_set' } }, { trait: 'b', op: 'neq', value: 1 }] }] },
  [
    { trait: 'a', op: 'set' },
    { path: 'event.a', op: 'ends_with', value: 'x' },
  ],
];

const email: readonly StepConfigs['send_email'][] = [
  {
    ...common,
    to: '{{trait.email}}',
    from: 'us@example.com',
    replyTo: 'help@example.com',
    subject: 'Hi',
    preheader: 'News',
    text: 'Hi',
    html: '<p>Hi</p>',
    localized: { es: { subject: 'Hola', text: 'Hola' } },
    headers: { 'X-Campaign': 'Spring sale' },
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGk=', cid: 'a' }],
    tracking: { opens: true, clicks: false },
  },
  { bodyHtml: '<p>{{event.html}}</p>' },
  sent,
];
const push: readonly StepConfigs['send_push'][] = [
  {
    ...common,
    title: 'Hi',
    body: 'There',
    localizedTitle: { es: 'Hola' },
    localizedBody: { es: 'Hola' },
    data: { order: { id: 1 } },
    actions: [{ id: 'open', title: 'Open', url: 'https://shop.example/', icon: 'bag' }],
    criticalAlert: { soundName: 'alarm', volume: 0.5 },
    collapseKey: 'orders',
    threadId: 'orders',
    ttlSeconds: 60,
    priority: 'high',
    badge: 1,
    sound: 'ping',
    imageUrl: 'https://shop.example/a.png',
    interruptionLevel: 'critical',
    platforms: ['ios'],
  },
  { data: {}, criticalAlert: null },
  sent,
];
const sms: readonly StepConfigs['send_sms'][] = [
  {
    ...common,
    to: '{{trait.phone}}',
    from: 'Acme',
    body: 'Hi',
    mediaUrls: ['https://shop.example/a.png'],
    maxSegments: 2,
  },
  { messagingServiceId: 'MG1', localizedBody: { es: 'Hola' }, validitySeconds: 60 },
  sent,
];
const update: StepConfigs['update_profile'] = {
  ...common,
  set: { plan: 'pro', tags: ['a', { b: [1] }] },
  setOnce: { since: '{{event.at}}' },
  unset: ['old'],
  increment: { orders: 1, total: '{{event.total}}' },
  append: { items: '{{event.item}}' },
  remove: { items: ['a'] },
};
const webhook: StepConfigs['webhook'] = {
  ...common,
  url: 'https://shop.example/hook/{{event.id}}',
  method: 'POST',
  headers: { Authorization: 'Bearer {{secret.TOKEN}}' },
  body: { a: ['{{event.a}}', null] },
  timeoutSeconds: 5,
  signing: true,
};
const waits: readonly StepConfigs['wait'][] = [
  { ...common, minutes: 1 },
  { until: '{{trait.renews_at}}', offsetMinutes: -60, timezone: 'user' },
  { window: { days: ['mon', 'fri'], from: '09:00', to: '17:00', timezone: 'Europe/Paris' } },
  { event: { eventType: 'paid', filters: { id: '{{event.id}}' }, timeoutMinutes: 60, onTimeout: 'exit' } },
];
const ai: readonly StepConfigs['ai_action'][] = [
  { ...common, flavor: 'generate', prompt: 'Greet {{trait.name}}', model: 'm', maxOutputTokens: 10, temperature: 1 },
  {
    flavor: 'decide',
    saveAs: 'mood',
    prompt: 'How is it?',
    options: [{ name: 'good', description: 'Fine.' }, { name: 'bad' }],
    fallback: true,
  },
  {
    flavor: 'extract',
    saveAs: 'found',
    prompt: 'Find it.',
    schema: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'A city.', enum: ['Paris', 'Rome'] },
        age: { type: 'integer' },
      },
      required: ['city'],
      additionalProperties: false,
    },
  },
];
const inner: readonly StepInput[] = [{ type: 'wait', config: { minutes: 0 } }];
const branches: readonly StepConfigs['branch'][] = [
  {
    ...common,
    branches: [{ name: 'a', when: { trait: 'a', op: 'set' }, steps: inner, exit: true }],
    else: { steps: inner, exit: false },
  },
  {
    split: [
      { name: 'a', weight: 40, steps: inner },
      { name: 'b', weight: 60, steps: [], exit: false },
    ],
  },
];

/** Valid steps, one for each workflow of a test. */
export const everyField: readonly StepInput[] = [
  ...email.map((config) => ({ type: 'send_email', config, delayMinutes: 1 }) as const),
  ...push.map((config) => ({ type: 'send_push', config }) as const),
  ...sms.map((config) => ({ type: 'send_sms', config }) as const),
  { type: 'update_profile', config: update },
  { type: 'webhook', config: webhook },
  ...waits.map((config) => ({ type: 'wait', config }) as const),
  ...ai.map((config) => ({ type: 'ai_action', config }) as const),
  ...branches.map((config) => ({ type: 'branch', config }) as const),
  ...CONDITIONS.map((when) => ({ type: 'wait', config: { minutes: 1, when } }) as const),
];
