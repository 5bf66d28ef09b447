import type { UnsubscribeChange, UnsubscribePage } from '@beckon/core';
import type { Answer } from '../pipeline/envelope.ts';
import { type Form, type OpenRoute, param } from '../route.ts';
import { STYLE_SOURCE, unsubscribePage } from '../unsubscribe/page.ts';

/** Maximum bytes of a form. Chosen: enough for a few hundred categories. */
const FORM_CAP = 65_536;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

const shown = (page: UnsubscribePage, isDone = false): Answer => ({
  status: 200,
  headers: HEADERS,
  body: unsubscribePage(page, isDone),
});

/** The change that a form requests; null: none. The first form is what mail clients send. Source: RFC 8058, 3.1. */
const changeOf = (form: Form): UnsubscribeChange | null => {
  if (form.get('List-Unsubscribe') === 'One-Click') return { kind: 'unsubscribe' };
  const what = form.get('do');
  if (what === 'unsubscribe' || what === 'resubscribe') return { kind: what };
  if (what !== 'choose') return null;
  return { kind: 'choose', any: form.get('any') === 'yes', categories: form.getAll('category') };
};

const common = {
  path: '/unsubscribe/:token',
  shape: 'auto',
  kind: 'public',
  scope: null,
  needs: 'nothing',
  answer: { bytes: 'text/html' },
} as const;

/**
 * Target of unsubscribe links. Viewing changes nothing, because scanners follow links too; an unknown token is answered
 * like a known one. No cookies, no redirects.
 */
export const unsubscribeRoutes: readonly OpenRoute[] = [
  {
    ...common,
    method: 'GET',
    summary: 'Show the unsubscribe page',
    description: 'An HTML page with the choices of the recipient. Showing it changes nothing.',
    run: async (beckon, call) => shown(await beckon.subscriptions.ofLink(param(call, 'token'))),
  },
  {
    ...common,
    method: 'POST',
    summary: 'Unsubscribe a recipient',
    description: 'Takes the one-click request of mail clients (RFC 8058) and the form of the unsubscribe page.',
    formCap: FORM_CAP,
    run: async (beckon, call) => {
      const change = changeOf(call.form);
      const token = param(call, 'token');
      if (change === null) return shown(await beckon.subscriptions.ofLink(token));
      return shown(await beckon.subscriptions.changeByLink(token, change), true);
    },
  },
];
