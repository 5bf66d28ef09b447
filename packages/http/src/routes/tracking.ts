import type { Answer } from '../pipeline/envelope.ts';
import { type OpenRoute, param, type Sent } from '../route.ts';

/** A transparent image of one pixel: GIF89a, 43 bytes. */
const PIXEL = new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'));

// Each view counts, so no cache may answer for us; and the target page must not learn which email contained the link.
const PRIVATE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

const SHOWN: Answer = { status: 200, headers: { ...PRIVATE, 'Content-Type': 'image/gif' }, body: PIXEL };

const redirect = ({ url }: { readonly url: string }): Answer => ({
  status: 302,
  headers: { ...PRIVATE, Location: url },
  body: '',
});

const clientOf = ({ method, header }: Sent) => ({ method, userAgent: header('user-agent') });

const common = { shape: 'auto', kind: 'public', scope: null, needs: 'nothing' } as const;
const opened = {
  ...common,
  path: '/email/o/:token',
  summary: 'Record an opened email',
  description: 'The tracking pixel of emails. Returns a transparent GIF, also for an invalid token.',
  answer: { bytes: 'image/gif' },
} as const;
const clicked = {
  ...common,
  path: '/email/c/:token',
  summary: 'Follow a tracked link',
  description: 'Records the click and redirects to the target of the link. HEAD records nothing.',
  answer: { redirect: 302 },
  errors: ['NOT_FOUND'],
} as const;

/**
 * Targets of tracked emails. The pixel is the same for every token, valid or not. HEAD answers like GET and records
 * nothing, because link scanners use it.
 */
export const trackingRoutes: readonly OpenRoute[] = [
  {
    ...opened,
    method: 'GET',
    run: async (beckon, call) => {
      await beckon.email.trackOpen(param(call, 'token'), clientOf(call.sent));
      return SHOWN;
    },
  },
  { ...opened, method: 'HEAD', run: async () => SHOWN },
  {
    ...clicked,
    method: 'GET',
    run: async (beckon, call) => redirect(await beckon.email.trackClick(param(call, 'token'), clientOf(call.sent))),
  },
  {
    ...clicked,
    method: 'HEAD',
    run: async (beckon, call) => redirect(await beckon.email.trackClick(param(call, 'token'), { isRecorded: false })),
  },
];
