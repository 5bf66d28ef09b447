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
  it('fills a push that shows nothing but a title with the defaults', () => {
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

  it('fills strings of data at any depth, and leaves keys and other values alone', () => {
    const data = { '{{event.id}}': '{{event.id}}', list: ['{{trait.name}}', 1, null, { deep: 'x{{event.id}}' }], n: 0 };
    expect(messageOf({ title: 't', data }).data).toEqual({
      '{{event.id}}': '7',
      list: ['Ann <b>', 1, null, { deep: 'x7' }],
      n: 0,
    });
  });

  it('fills titles and URLs of actions, and leaves a URL out that comes out empty', () => {
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
  ])('refuses a URL %s that a value made unsafe', (_, content) => {
    expect(render({ title: 't', ...content })).toEqual({ ok: false, reason: 'unsafe_url' });
  });

  it.each<[string, Partial<PushContent>]>([
    ['a title of nothing', { title: '{{trait.empty}}' }],
    ['a body of spaces', { body: ' \n' }],
    ['a title and a body of nothing, data or not', { title: '', body: '{{trait.none}}', data: { a: 1 } }],
  ])('has nothing to show of %s', (_, content) => {
    expect(render(content)).toEqual({ ok: false, reason: 'empty_body' });
  });

  it('shows one where the other is empty', () => {
    expect(messageOf({ title: '{{trait.empty}}', body: 'b' })).toMatchObject({ title: null, body: 'b' });
  });

  it('hands data to the app without showing anything, and without hurry', () => {
    expect(messageOf({ data: { sync: true } })).toMatchObject({ title: null, body: null, priority: 'normal' });
    expect(messageOf({ data: { sync: true }, priority: 'high' }).priority).toBe('high');
  });

  it('makes a critical alert critical and urgent, whatever was asked for', () => {
    const criticalAlert = { soundName: 'siren', volume: 0.5 };
    const asked = { interruptionLevel: 'passive', priority: 'normal' } as const;
    expect(messageOf({ title: 't', criticalAlert, ...asked })).toMatchObject({
      priority: 'high',
      criticalAlert: { soundName: 'siren', volumeRatio: 0.5 },
      interruptionLevel: 'critical',
    });
  });

  it('refuses texts that are too large together, though none of them is by itself', () => {
    const long = 'x'.repeat(30_000);
    const data = { a: '{{trait.long}}', b: '{{trait.long}}', c: '{{trait.long}}' };
    expect(render({ title: 't', data }, { scopes: { trait: { long } } })).toEqual({ ok: false, reason: 'too_large' });
  });

  it('does not look into values for placeholders', () => {
    const scopes = { trait: { name: '{{event.id}}' }, event: { id: 7 } };
    const rendered = render({ title: '{{trait.name}}', data: { a: '{{trait.name}}' } }, { scopes });
    expect(rendered).toMatchObject({ ok: true, message: { title: '{{event.id}}', data: { a: '{{event.id}}' } } });
  });

  describe('for several messages of one content', () => {
    const long = 'x'.repeat(30_000);
    const scopesOf = (name: string) => ({ scopes: { trait: { name } } });

    it('fills data anew for each where it has a placeholder, at any depth', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: 't', data: { a: 'same', list: [{ b: '{{trait.name}}' }] } };
      for (const name of ['Ann', 'Bob', 'Cy'])
        expect(push(content, { ...input, ...scopesOf(name) })).toMatchObject({
          ok: true,
          message: { data: { a: 'same', list: [{ b: name }] } },
        });
    });

    it('gives all of them the same data where it has none, which nobody can change for the others', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: 't', data: { a: 'same', deep: { b: ['{{no placeholder'] } } };
      const [first, second] = ['Ann', 'Bob'].map((name) => push(content, { ...input, ...scopesOf(name) }));
      if (!first?.ok || !second?.ok) throw new Error('there is no push');
      expect(first.message.data).toEqual(content.data);
      expect(second.message.data).toBe(first.message.data);
      expect(() => Object.assign(Object(first.message.data['deep']), { b: 1 })).toThrow(TypeError);
      expect(Object.isFrozen(content.data)).toBe(false);
    });

    it('counts the data of each, and refuses what is unsafe to each', () => {
      const push = pushRenderer();
      const content = { ttlSeconds, title: '{{trait.name}}', data: { a: long, b: long } };
      const ofLength = (length: number) => push(content, { ...input, ...scopesOf('n'.repeat(length)) });
      expect([1, 5_536, 5_537, 1].map((length) => ofLength(length).ok)).toEqual([true, true, false, true]);
      const unsafe = { ttlSeconds, title: 't', data: { url: 'javascript:x' } };
      for (const _ of [1, 2]) expect(push(unsafe, input)).toEqual({ ok: false, reason: 'unsafe_url' });
    });
  });
});
