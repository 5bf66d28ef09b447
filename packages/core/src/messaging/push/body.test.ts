import { describe, expect, it } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { addressRules } from '../../foundation/net/addresses.ts';
import { parsePushSend } from './body.ts';
import { MAX_TTL_SECONDS } from './content.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const send = { userIds: ['ann'], title: 'Hello', body: 'There' };
const problemsOf = (body: unknown, rules?: EndpointRules): Record<string, string[]> => {
  try {
    parsePushSend(body, rules);
  } catch (error) {
    return (error as { details: { fieldErrors: Record<string, string[]> } }).details.fieldErrors;
  }
  return {};
};
const button = (id: string, more: object = {}) => ({ id, title: id, ...more });

describe('parsePushSend', () => {
  it('parsePushSend fills in the defaults of a push', () => {
    expect(parsePushSend(send)).toEqual({
      channel: 'push',
      source: 'api',
      class: 'marketing',
      title: 'Hello',
      content: { title: 'Hello', body: 'There', ttlSeconds: MAX_TTL_SECONDS },
      variables: {},
      recipients: [{ kind: 'user', userId: 'ann' }],
      category: null,
      tags: {},
      scheduledFor: null,
      isDryRun: false,
      warnings: [],
    });
  });

  it('parsePushSend accepts every field of the contract', () => {
    const full = {
      ...send,
      data: { url: 'https://example.com', nested: { at: [1, null, true] } },
      actions: [button('go', { url: 'myapp://go', icon: 'bolt' }), button('later')],
      criticalAlert: { soundName: 'siren.caf', volume: 0.5 },
      collapseKey: 'order-7',
      threadId: 'orders',
      ttlSeconds: 0,
      priority: 'normal',
      badge: 3,
      sound: 'ping.caf',
      imageUrl: 'https://example.com/x.png',
      interruptionLevel: 'critical',
      platforms: ['ios', 'web'],
    };
    const request = parsePushSend({
      ...full,
      class: 'transactional',
      category: 'orders',
      tags: { team: 'core' },
      scheduledFor: '2026-03-02T09:00:00+01:00',
      dryRun: true,
    });
    const { userIds: _, ...content } = full;
    expect(request).toMatchObject({
      content,
      class: 'transactional',
      category: 'orders',
      tags: { team: 'core' },
      scheduledFor: new Date('2026-03-02T08:00:00.000Z'),
      isDryRun: true,
      warnings: [],
    });
  });

  it('raw tokens replace users, with a warning', () => {
    const tokens = ['fcm:1', subscriptionJson({}), 'AB'.repeat(32)];
    const request = parsePushSend({ ...send, tokens });
    expect(request.recipients.map((one) => one.kind === 'address' && one.address.slice(0, 12))).toEqual([
      'fcm:1',
      '{"endpoint":',
      'ABABABABABAB',
    ]);
    expect(request.warnings).toEqual(['The key userIds was ignored, because tokens take precedence.']);
  });

  it('an empty userIds list is accepted, and the send ends as no_recipients', () => {
    expect(parsePushSend({ ...send, userIds: [] }).recipients).toEqual([]);
    expect(parsePushSend({ title: 'x', tokens: [] }).recipients).toEqual([]);
  });

  it('a push with data only is for the app', () => {
    const request = parsePushSend({ userIds: ['ann'], data: { sync: true } });
    expect(request).toMatchObject({ title: null, content: { data: { sync: true } } });
  });

  it('ignored keys are named, also inside actions and alerts', () => {
    const request = parsePushSend({
      ...send,
      projectId: 'p',
      subtitle: 'x',
      actions: [button('go', { color: 'red' })],
      criticalAlert: { soundName: 's', loud: true },
    });
    expect(request.warnings).toEqual([
      'The key subtitle is unknown and was ignored.',
      'The key actions.0.color is unknown and was ignored.',
      'The key criticalAlert.loud is unknown and was ignored.',
    ]);
    expect(JSON.stringify(request.content)).not.toMatch(/subtitle|color|loud/);
  });

  it('an audience replaces users, and raw tokens replace both', () => {
    const audienceId = '01890000-0000-7000-8000-000000000000';
    expect(parsePushSend({ title: 'x', audienceId })).toMatchObject({ source: 'audience', audienceId, recipients: [] });
    expect(Object.keys(problemsOf({ title: 'x', audienceId: 'x' }))).toEqual(['audienceId']);
    expect(Object.keys(problemsOf({ ...send, audienceId }))).toEqual(['audienceId']);
    const raw = parsePushSend({ title: 'x', audienceId, tokens: ['ab'.repeat(32)] });
    expect(raw).toMatchObject({ source: 'api', recipients: [{ kind: 'address' }] });
    expect(raw.audienceId).toBeUndefined();
    expect(raw.warnings).toEqual(['The key audienceId was ignored, because tokens take precedence.']);
  });

  it.each([
    ['nobody named', { title: 'x' }, 'userIds'],
    ['nothing to show or to hand to the app', { userIds: ['ann'] }, 'body'],
    ['a fifth action', { ...send, actions: ['a', 'b', 'c', 'd', 'e'].map((id) => button(id)) }, 'actions'],
    ['two actions of one id', { ...send, actions: [button('a'), button('a')] }, 'actions.1.id'],
    ['an action without a title', { ...send, actions: [{ id: 'a', title: '' }] }, 'actions.0.title'],
    ['an action that runs code', { ...send, actions: [button('a', { url: 'javascript:x' })] }, 'actions.0.url'],
    ['an action with half a URL', { ...send, actions: [button('a', { url: '/orders' })] }, 'actions.0.url'],
    ['data that runs code', { ...send, data: { deep: [{ url: ' JavaScript:x' }] } }, 'data.deep.0.url'],
    ['data that is a list', { ...send, data: [] }, 'data'],
    ['buttons below nothing', { userIds: ['ann'], data: {}, actions: [button('a')] }, 'actions'],
    ['an alarm for nothing', { userIds: ['ann'], data: {}, criticalAlert: { soundName: 's' } }, 'criticalAlert'],
    ['an alarm that is too loud', { ...send, criticalAlert: { soundName: 's', volume: 1.1 } }, 'criticalAlert.volume'],
    ['critical without an alarm', { ...send, interruptionLevel: 'critical' }, 'interruptionLevel'],
    ['a collapse key of 65 bytes', { ...send, collapseKey: `${'\u00e9'.repeat(32)}x` }, 'collapseKey'],
    ['a time to live beyond the limit', { ...send, ttlSeconds: MAX_TTL_SECONDS + 1 }, 'ttlSeconds'],
    ['a badge below zero', { ...send, badge: -1 }, 'badge'],
    ['an image that is no web page\u2019s', { ...send, imageUrl: 'file:///x.png' }, 'imageUrl'],
    ['no platform at all', { ...send, platforms: [] }, 'platforms'],
    ['a moment without a zone', { ...send, scheduledFor: '2026-03-02T09:00:00' }, 'scheduledFor'],
    ['a bridge\u2019s token', { title: 'x', tokens: ['fcm:1', 'ExponentPushToken[x]'] }, 'tokens.1'],
    ['a broken subscription', { title: 'x', tokens: [subscriptionJson({ auth: 'x' })] }, 'tokens.0'],
    ['more than 1,000 tokens', { title: 'x', tokens: Array<string>(1_001).fill('fcm:1') }, 'tokens'],
    ['a key __proto__ in data', { ...send, data: JSON.parse('{"__proto__":1}') }, 'data.__proto__'],
  ])('parsePushSend rejects %s', (_, body, field) => {
    expect(Object.keys(problemsOf(body))).toEqual([field]);
  });

  it('unreachable endpoints are rejected, each by its name', () => {
    const at = (endpoint: string): string => subscriptionJson({ endpoint });
    const sent = { title: 'x', tokens: [at('https://127.0.0.1/x'), at('https://push.example.com/x'), 'fcm:1'] };
    const refused = (rules: EndpointRules): string[] => Object.keys(problemsOf(sent, rules));
    expect(refused({ addresses: addressRules() })).toEqual(['tokens.0']);
    expect(refused({ addresses: addressRules(['127.0.0.0/8']) })).toEqual([]);
    expect(refused({ allowedHosts: ['push.example.com'] })).toEqual(['tokens.0']);
  });

  it("a third-party bridge's token is rejected with a pointer to the webhook step", () => {
    expect(problemsOf({ title: 'x', tokens: ['ExpoPushToken[x]'] })['tokens.0']?.[0]).toContain('webhook step');
  });

  it.each(['from', 'message_type', 'gcm.notification.x', 'google.sent'])(
    'the data key %s is rejected in a push that may go to Android',
    (key) => {
      const data = { [key]: 'x' };
      expect(Object.keys(problemsOf({ ...send, data }))).toEqual([`data.${key}`]);
      expect(Object.keys(problemsOf({ title: 'x', audienceId: ID, data }))).toEqual([`data.${key}`]);
      expect(problemsOf({ title: 'x', tokens: ['ab'.repeat(32)], platforms: ['android'], data })).toEqual({});
      expect(Object.keys(problemsOf({ ...send, data, platforms: ['android'] }))).toEqual([`data.${key}`]);
      expect(Object.keys(problemsOf({ title: 'x', tokens: ['fcm:1'], data }))).toEqual([`data.${key}`]);
      expect(problemsOf({ ...send, data, platforms: ['ios'] })).toEqual({});
    },
  );

  it('templates are accepted for URLs, which are checked after rendering', () => {
    const actions = [button('a', { url: '{{trait.link}}' })];
    expect(problemsOf({ ...send, actions, imageUrl: 'https://{{trait.host}}/x.png' })).toEqual({});
  });

  it('free text is made storable', () => {
    const request = parsePushSend({ ...send, title: 'a\ud800', data: { note: 'x\u0000' } });
    expect(request).toMatchObject({ title: 'a\ufffd', content: { data: { note: 'x\ufffd' } } });
  });

  it('deeply nested data is handled', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    expect(Object.keys(problemsOf({ ...send, data: deep }))[0]).toMatch(/^data/);
  });
});
