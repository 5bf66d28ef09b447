import { describe, expect, it, vi } from 'vitest';
import {
  type CallbackReader,
  type CallbackRequest,
  type ProviderEvent,
  readCallback,
} from '../../../../src/messaging/callbacks/reader.ts';

/** A reader under test and its expectations. */
export type ReaderCase = {
  readonly reader: CallbackReader;
  readonly secret: string;
  /** A foreign secret of the same form. */
  readonly other: string;
  /** A request as the provider would post it at this time. */
  signed(body: string, at: Date): CallbackRequest;
  /** Bodies, with the events of each. */
  readonly samples: readonly (readonly [body: string, events: readonly Partial<ProviderEvent>[]])[];
  /** Maximum age of a request; null: requests have no time. */
  readonly windowMs: number | null;
  /** True if the signature covers the body. */
  readonly coversBody: boolean;
};

export const NOW = new Date('2026-03-01T12:00:00.000Z');

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** Contract tests that every callback reader passes. */
export const callbackContract = (name: string, make: () => ReaderCase): void => {
  describe(`the callback contract of ${name}`, () => {
    const one = make();
    const [body = ''] = one.samples[0] ?? [];
    const read = (request: CallbackRequest, secrets: readonly string[] = [one.secret], now = NOW) =>
      readCallback(one.reader, request, secrets, now);

    it('each sample is read as exactly its events, repeatedly', async () => {
      for (const [sample, events] of one.samples) {
        const request = one.signed(sample, NOW);
        const verdict = await read(request);
        expect(verdict, sample).toMatchObject({ ok: true, events });
        expect(verdict.ok && verdict.events).toHaveLength(events.length);
        expect(await read({ ...request, rawBody: Uint8Array.from(request.rawBody) })).toEqual(verdict);
      }
    });

    it('message ids are found in the first bytes without parsing', () => {
      const request = one.signed(body, NOW);
      const { reader } = one;
      const ids = reader.claimedIds(request);
      for (const { providerIds } of reader.parse(request)?.events ?? [])
        expect(ids).toEqual(expect.arrayContaining([...providerIds]));
      expect(ids.length).toBeGreaterThan(0);
      const { rawBody } = request;
      for (let end = 0; end <= rawBody.length; end += Math.ceil(rawBody.length / 50))
        expect(ids).toEqual(
          expect.arrayContaining([...reader.claimedIds({ ...request, rawBody: rawBody.subarray(0, end) })]),
        );
      const parse = vi.spyOn(JSON, 'parse');
      reader.claimedIds(request);
      expect(parse).not.toHaveBeenCalled();
      parse.mockRestore();
      const odd = [
        '',
        '[]',
        '{}',
        'null',
        '1',
        '[null]',
        '{"data":[1]}',
        '{"mail":{"tags":1}}',
        '\u0000',
        '{"Message":"{"}',
      ];
      for (const raw of [...odd.map((text) => Buffer.from(text)), Buffer.from([0xff, 0xfe])])
        expect(reader.claimedIds({ ...request, rawBody: raw })).toEqual([]);
    });

    it('a body nested deeper or with more values than real ones is not read', () => {
      const request = one.signed(body, NOW);
      const text = Buffer.from(request.rawBody).toString();
      const within = (more: string): CallbackRequest => ({
        ...request,
        rawBody: Buffer.from(text.replace('{', `{"more":${more},`)),
      });
      const isBatch = text.startsWith('[');
      const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
      const withValues = (values: number) => `{"a":[${'0,'.repeat(values)}0]}`;
      const [deepest, widest] = isBatch ? [30, 90_000] : [31, 9_000];
      for (const more of [nested(deepest), withValues(widest)])
        expect(one.reader.parse(within(more))?.events).toHaveLength(one.samples[0]?.[1].length ?? 0);
      for (const more of [nested(deepest + 1), withValues(isBatch ? 100_000 : 10_000)])
        expect(one.reader.parse(within(more))).toBe(null);
    });

    it('a request without a secret, with another one, or without a signature is rejected', async () => {
      const request = one.signed(body, NOW);
      expect(await read(request, [])).toEqual({ ok: false, reason: 'no_secret' });
      expect(await read(request, [one.other])).toEqual({ ok: false, reason: 'bad_signature' });
      const bare = one.coversBody ? { ...request, headers: new Headers() } : { ...request, rawBody: Buffer.from('{}') };
      expect(await read(bare)).toMatchObject({ ok: false });
    });

    it('either of two secrets is accepted during a rotation', async () => {
      const request = one.signed(body, NOW);
      expect(await read(request, [one.other, one.secret])).toMatchObject({ ok: true });
      expect(await read(request, [one.secret, one.other])).toMatchObject({ ok: true });
    });

    it('a body with one changed bit, or reserialised, is rejected', async () => {
      if (!one.coversBody) return;
      const request = one.signed(body, NOW);
      const { rawBody } = request;
      for (let at = 0; at < rawBody.length; at += Math.ceil(rawBody.length / 40))
        expect(await read({ ...request, rawBody: flipped(rawBody, at) }), `byte ${at}`).toMatchObject({ ok: false });
      const again = Buffer.from(`${JSON.stringify(JSON.parse(Buffer.from(rawBody).toString()), null, 1)}\r\n`);
      expect(await read({ ...request, rawBody: again })).toMatchObject({ ok: false });
    });

    it('headers with one changed bit are rejected', async () => {
      const request = one.signed(body, NOW);
      for (const [header, value] of request.headers) {
        const headers = new Headers(request.headers);
        headers.set(header, Buffer.from(flipped(Buffer.from(value), Math.floor(value.length / 2))).toString('latin1'));
        expect(await read({ ...request, headers }), header).toMatchObject({ ok: false });
      }
    });

    it('a request that is too old or from the future is rejected', async () => {
      if (one.windowMs === null) return;
      const at = (ms: number) => read(one.signed(body, NOW), [one.secret], new Date(NOW.getTime() + ms));
      expect(await at(one.windowMs)).toMatchObject({ ok: true });
      expect(await at(one.windowMs + 1_000)).toEqual({ ok: false, reason: 'stale' });
      expect(await at(-300_000)).toMatchObject({ ok: true });
      expect(await at(-301_000)).toEqual({ ok: false, reason: 'stale' });
    });

    it('a signed body of the wrong form is malformed', async () => {
      for (const odd of ['null', '{}', '"x"', '[1]']) {
        const { reader } = one;
        expect(reader.parse({ ...one.signed(body, NOW), rawBody: Buffer.from(odd) }), odd).toBe(null);
      }
    });
  });
};
