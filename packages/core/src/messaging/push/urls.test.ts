import { describe, expect, it } from 'vitest';
import { isImage, isLink, runsCode } from './urls.ts';

describe('runsCode', () => {
  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    '  javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
  ])('%j runs code', (text) => {
    expect(runsCode(text)).toBe(true);
  });

  it.each(['https://example.com/?q=javascript:x', 'myapp://open', 'Data: 5 of 7', 'about javascript: a book', ''])(
    '%j does not run code',
    (text) => {
      expect(runsCode(text)).toBe(false);
    },
  );
});

describe('isLink', () => {
  it.each([
    'https://example.com/a?b=c',
    'http://example.com',
    'myapp://orders/7',
    'tel:+15550100',
    'mailto:a@b.example',
  ])('%s is a link', (text) => {
    expect(isLink(text)).toBe(true);
  });

  it.each(['', '/orders/7', 'example.com', 'javascript:alert(1)', 'data:text/html,x', 'https://a b', 'https://a\nb'])(
    '%j is no link',
    (text) => {
      expect(isLink(text)).toBe(false);
    },
  );
});

describe('isImage', () => {
  it('only http and https URLs are images', () => {
    const texts = [
      'https://a.example/x.png',
      'http://a.example/x.png',
      'file:///x.png',
      'data:image/png;base64,',
      'x.png',
    ];
    expect(texts.map(isImage)).toEqual([true, true, false, false, false]);
  });
});
