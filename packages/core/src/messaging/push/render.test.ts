import { describe, expect, it } from 'vitest';
import type { PushContent } from './content.ts';
import { type PushRenderInput, pushRenderer } from './render.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const input: PushRenderInput = {
  messageId: 'm1',
  sendId: 's1',
  platform: 'ios',
  token: 'ab'.repeat(32),
  apnsEnvironment: 'sandbox',
  scopes: { trait: { name: 'Ann <b>', link: 'javascript:x', empty: '' }, event: { id: 7 } },
  now,
};
const ttlSeconds = 60;
const render = (content: Partial<PushContent>, more: Partial<PushRenderInput> = {}) =>
  pushRenderer()({ ttlSeconds, ...content }, { ...input, ...more });
const messageOf = (content: Partial<PushContent>) => {
  const rendered = render(content);
  if (!rendered.ok) throw new Error(rendered.reason);
  return rendered.message;
};

describe('pushRenderer', () => {
  it('a push with only a title gets the defaults', () => {
    expect(messageOf({ title: 'Hi {{trait.name}}' })).toEqual({
      messageId: 'm1',
      sendId: 's1',
      platform: 'ios',
      token: input.token,
      apnsEnvironment: 'sandbox',
      title: 'Hi Ann <b>',
      body: null,
      data: {},
      actions: [],
      criticalAlert: null,
      interruptionLevel: null,
      collapseKey: null,
      threadId: null,
      ttlSeconds,
      priority: 'high',
      badge: null,
      sound: null,
      imageUrl: null,
      now,
    });
  });

  it('strings in data are rendered at any depth; keys and other values stay', () => {
    const data = { '{{event.id}}': '{{event.id}}', list: ['{{trait.name}}', 1, null, { deep: 'x{{event.id}}' }], n: 0 };
    expect(messageOf({ title: 't', data }).data).toEqual({
      '{{event.id}}': '7',
      list: ['Ann <b>', 1, null, { deep: 'x7' }],
      n: 0,
    });
  });

  it('titles and URLs of actions are rendered, and an empty URL is omitted', () => {
    const actions = [
      { id: 'go', title: '{{trait.name}}', url: 'https://example.com/{{event.id}}', icon: 'bolt' },
      { id: 'later', title: 'Later', url: '{{trait.empty}}' },
    ];
    expect(messageOf({ title: 't', actions }).actions).toEqual([
      { id: 'go', title: 'Ann <b>', url: 'https://example.com/7', icon: 'bolt' },
      { id: 'later', title: 'Later' },
    ]);
  });

  it.each<[string, Partial<PushContent>]>([
    ['of an action', { actions: [{ id: 'a', title: 'a', url: '{{trait.link}}' }] }],
    ['in data', { data: { url: '{{trait.link}}' } }],
    ['of an image', { imageUrl: '{{trait.link}}' }],
    ['of an action that became none', { actions: [{ id: 'a', title: 'a', url: '{{trait.name}}' }] }],
  ])('a URL %s made unsafe by a value is rejected', (_, content) => {
    expect(render({ title: 't', ...content })).toEqual({ ok: false, reason: 'unsafe_url' });
  });

  it.each<[string, Partial<PushContent>]>([
    ['a title of nothing', { title: '{{trait.empty}}' }],
    ['a body of spaces', { body: ' \n' }],
    ['a title and a body of nothing, data or not', { title: '', body: '{{trait.none}}', data: { a: 1 } }],
  ])('a push is empty with %s', (_, content) => {
    expect(render(content)).toEqual({ ok: false, reason: 'empty_body' });
  });

  it('an empty title or body is allowed if the other has text', () => {
    expect(messageOf({ title: '{{trait.empty}}', body: 'b' })).toMatchObject({ title: null, body: 'b' });
  });

  it('a data push shows nothing and has normal priority', () => {
    expect(messageOf({ data: { sync: true } })).toMatchObject({ title: null, body: null, priority: 'normal' });
    expect(messageOf({ data: { sync: true }, priority: 'high' }).priority).toBe('high');
  });

  it('a critical alert is critical and has high priority, whatever the request says', () => {
    const criticalAlert = { soundName: 'siren', volume: 0.5 };
    const requested = { interruptionLevel: 'passive', priority: 'normal' } as const;
    expect(messageOf({ title: 't', criticalAlert, ...requested })).toMatchObject({
      priority: 'high',
      criticalAlert: { soundName: 'siren', volumeRatio: 0.5 },
      interruptionLevel: 'critical',
    });
  });

  it('texts that are too large together are rejected, even if each one fits', () => {
    const long = 'x'.repeat(30_000);
    const data = { a: '{{trait.long}}', b: '{{trait.long}}', c: '{{trait.long}}' };
    expect(render({ title: 't', data }, { scopes: { trait: { long } } })).toEqual({ ok: false, reason: 'too_large' });
  });

  it('placeholders inside values are not rendered', () => {
    const scopes = { trait: { name: '{{event.id}}' }, event: { id: 7 } };
    const rendered = render({ title: '{{trait.name}}', data: { a: '{{trait.name}}' } }, { scopes });
    expect(rendered).toMatchObject({ ok: true, message: { title: '{{event.id}}', data: { a: '{{event.id}}' } } });
  });

  describe('several messages of one content', () => {
    const long = 'x'.repeat(30_000);
    const scopesOf = (name: string) => ({ scopes: { trait: { name } } });

    it('data with a placeholder is rendered for each message, at any depth', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: 't', data: { a: 'same', list: [{ b: '{{trait.name}}' }] } };
      for (const name of ['Ann', 'Bob', 'Cy'])
        expect(push(content, { ...input, ...scopesOf(name) })).toMatchObject({
          ok: true,
          message: { data: { a: 'same', list: [{ b: name }] } },
        });
    });

    it('data without placeholders is one shared, frozen object', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: 't', data: { a: 'same', deep: { b: ['{{no placeholder'] } } };
      const [first, second] = ['Ann', 'Bob'].map((name) => push(content, { ...input, ...scopesOf(name) }));
      if (!first?.ok || !second?.ok) throw new Error('there is no push');
      expect(first.message.data).toEqual(content.data);
      expect(second.message.data).toBe(first.message.data);
      expect(() => Object.assign(Object(first.message.data['deep']), { b: 1 })).toThrow(TypeError);
      expect(Object.isFrozen(content.data)).toBe(false);
    });

    it('the data of each message is measured and checked', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: '{{trait.name}}', data: { a: long, b: long } };
      const ofLength = (length: number) => push(content, { ...input, ...scopesOf('n'.repeat(length)) });
      expect([1, 5_536, 5_537, 1].map((length) => ofLength(length).ok)).toEqual([true, true, false, true]);
      const unsafe = { ttlSeconds, title: 't', data: { url: 'javascript:x' } };
      for (const _ of [1, 2]) expect(push(unsafe, input)).toEqual({ ok: false, reason: 'unsafe_url' });
    });
  });
});
