import { describe, expect, it } from 'vitest';
import { unresolvedIn } from './preview.ts';

describe('unresolvedIn', () => {
  const of = (content: Readonly<Record<string, unknown>>, texts = ['title', 'data']) =>
    unresolvedIn({ texts }, content, { event: { given: 'x', nothing: null, list: [1], no: false }, user: {} });

  it('each variable without a value is listed once, in text order', () => {
    const data = { a: ['{{event.b}} {{user.email}}'], id: '{{event.nothing}}{{event.list}}' };
    expect(of({ title: '{{trait.a}} {{event.b}} {{foo.bar}}', data })).toEqual([
      'trait.a',
      'event.b',
      'foo.bar',
      'user.email',
      'event.nothing',
      'event.list',
    ]);
  });

  it('variables with a value or default, and texts that are not rendered, are not listed', () => {
    const title = '{{event.given}} {{event.no}} {{trait.a | default: "there"}}';
    expect(of({ title, threadId: '{{trait.b}}' })).toEqual([]);
    expect(of({ title: '{{trait.a | default: ""}}' })).toEqual(['trait.a']);
  });

  it('at most a hundred variables are listed', () => {
    expect(of({ title: Array.from({ length: 300 }, (_, at) => `{{trait.t${at}}}`).join('') })).toHaveLength(100);
  });
});
