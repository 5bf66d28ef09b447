import { describe, expect, it } from 'vitest';
import { contentLines, htmlOf, shortAddress, shortText, titleOf } from './message-text.ts';

describe('titleOf', () => {
  it.each([
    ['the subject of a mail', { subject: 'Hello', text: 'There' }, 'Hello'],
    ['the title of a push', { title: 'Hello', body: 'There' }, 'Hello'],
    ['the body of a push without a title', { title: null, body: 'There' }, 'There'],
    ['the body of a text message', { from: null, body: 'There' }, 'There'],
    ['nothing for data', { data: { a: 1 } }, null],
    ['the body where the title is blank', { title: ' ', body: 'There' }, 'There'],
  ])('the title of a message is %s', (_, content, title) => {
    expect(titleOf(content)).toBe(title);
  });
});

describe('shortText', () => {
  it('shortText puts text on one line and truncates it to 60 characters', () => {
    expect(shortText('two\nlines')).toBe('two lines');
    expect(shortText('x'.repeat(60))).toHaveLength(60);
    expect(shortText('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`);
  });

  it('shortText does not split a surrogate pair', () => {
    expect(shortText(`${'x'.repeat(58)}😀😀`).isWellFormed()).toBe(true);
  });
});

describe('shortAddress', () => {
  it.each([
    ['email', 'somebody.with.a.long.name@example.com', 'somebody.with.a.long.name@example.com'],
    ['sms', '+15550100', '+15550100'],
    ['push', `${'a'.repeat(56)}12345678`, '…12345678'],
    ['push', 'short', 'short'],
    ['push', '{"endpoint":"https://push.test/x/12345678","keys":{}}', 'push.test …12345678'],
    ['push', '{"keys":{}}', '…eys":{}}'],
  ] as const)('the short address of %s %s keeps its distinguishing end', (channel, address, shown) => {
    expect(shortAddress(channel, address)).toBe(shown);
  });

  it('shortAddress of null is null', () => {
    expect(shortAddress('push', null)).toBeNull();
  });
});

describe('contentLines', () => {
  it('an email is shown with its headers one by one', () => {
    const content = {
      envelope: { from: 'b@x.test', to: 'a@x.test' },
      from: { email: 'b@x.test', name: 'Bob' },
      to: { email: 'a@x.test', name: null },
      replyTo: null,
      subject: 'Hi',
      text: 'There',
      html: '<p>There</p>',
      headers: { 'X-A': '1' },
    };
    expect(contentLines(content)).toEqual([
      'from: Bob <b@x.test>',
      'to: a@x.test',
      'subject: Hi',
      'X-A: 1',
      '',
      'There',
    ]);
  });

  it('a push is shown with its buttons and data, without empty fields', () => {
    const content = {
      platform: 'ios',
      token: 'abc',
      apnsEnvironment: null,
      title: 'Hi',
      body: 'There',
      data: { id: 7, deep: { a: 1 } },
      actions: [
        { id: 'open', title: 'Open', url: 'https://x.test' },
        { id: 'no', title: 'No' },
      ],
      criticalAlert: null,
      ttlSeconds: 60,
      priority: 'normal',
    };
    expect(contentLines(content)).toEqual([
      'platform: ios',
      'title: Hi',
      'data.id: 7',
      'data.deep: {"a":1}',
      'action: [Open] open https://x.test',
      'action: [No] no',
      'ttlSeconds: 60',
      'priority: normal',
      '',
      'There',
    ]);
  });

  it('an SMS is shown with its media', () => {
    const content = {
      to: '+15550100',
      from: 'Shop',
      messagingServiceId: null,
      body: 'Hi',
      mediaUrls: ['https://x.test/a'],
    };
    expect(contentLines(content)).toEqual(['from: Shop', 'media: https://x.test/a', '', 'Hi']);
  });

  it('a message without text has a placeholder', () => {
    expect(contentLines({ data: { a: '1' }, title: null, body: null }).at(-1)).toBe(
      '(no visible text, only data for the app)',
    );
    expect(contentLines({ title: 'Hi', body: null }).at(-1)).toBe('(no body)');
  });
});

describe('htmlOf', () => {
  it('htmlOf returns the HTML body of an email', () => {
    expect(htmlOf({ text: 'a', html: '<p>a</p>' })).toBe('<p>a</p>');
    expect(htmlOf({ text: 'a', html: null })).toBeNull();
  });
});
