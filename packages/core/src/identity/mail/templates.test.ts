import { describe, expect, it } from 'vitest';
import { templateFault } from './templates.ts';

const both = { link: true, code: true };

describe('a template of sign-in', () => {
  it('a template is refused unless every body has the link or the code of its email', () => {
    const html = '<a href="{{auth.link}}">Sign in</a>';
    expect(templateFault({ subject: 'Hi', text: '{{ auth.code }}', html }, both)).toBe(null);
    expect(templateFault({ subject: 'Hi', text: 'Hello', html }, both)).toBe('no_link_or_code');
    expect(templateFault({ subject: 'Hi', html }, { link: false, code: true })).toBe('no_link_or_code');
    expect(templateFault({ subject: 'Hi', text: 'auth.link' }, both)).toBe('no_link_or_code');
    expect(templateFault({ subject: 'Hi', text: 'Hello' }, { link: false, code: false })).toBe(null);
  });

  it('a template without a body, or with a secret in its subject, is refused', () => {
    expect(templateFault({ subject: 'Hi', text: '' }, both)).toBe('no_content');
    expect(templateFault({ subject: 'Your code {{auth.code}}', text: '{{auth.code}}' }, both)).toBe(
      'secret_in_subject',
    );
  });
});
