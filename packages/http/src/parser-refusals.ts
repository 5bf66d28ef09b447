import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { BeckonError, contained, payloadTooLarge, systemClock, uuidV7Ids, validationError } from '@beckon/core';
import { refuseAfterAnswers } from './connection.ts';
import { envelopeOf } from './pipeline/errors.ts';

/** Maximum bytes of chunk extensions in a body. Source: Node.js, a fixed limit of its parser. */
const MAX_CHUNK_EXTENSION_BYTES = 16_384;

const ids = uuidV7Ids(systemClock);

/** What Node would answer by itself. Source: Node.js, `clientError` of http.Server. */
const errorOf = (code: unknown, maxHeadBytes: number): BeckonError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new BeckonError(
        'HEADERS_TOO_LARGE',
        `The request headers are too large. The maximum is ${maxHeadBytes} bytes.`,
        {
          details: { max: maxHeadBytes },
        },
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return payloadTooLarge(MAX_CHUNK_EXTENSION_BYTES);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new BeckonError('REQUEST_TIMEOUT', 'The request did not arrive completely in time. Send it again.');
    default:
      return validationError(
        { request: ['must be a valid HTTP request'] },
        'The request is not valid HTTP. Check the client.',
      );
  }
};

const headersOf = (body: string): Record<string, string> => ({
  'X-Request-ID': ids.next(),
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': String(Buffer.byteLength(body)),
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  Connection: 'close',
});

const answer = (res: ServerResponse, error: BeckonError): void => {
  const body = envelopeOf(error);
  res.writeHead(error.status, headersOf(body)).end(body);
};

const rawAnswer = (error: BeckonError): string => {
  const body = envelopeOf(error);
  const head = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join('')}\r\n${body}`;
};

/**
 * Answers in the usual envelope what `node:http` refuses before a request exists: 400, 408, 413, 417 and 431. Each
 * closes its connection.
 */
export const answerParserRefusals = (server: Server, maxHeadBytes: number): void => {
  server.on(
    'clientError',
    contained((error: Error & { readonly code?: unknown }, socket: Duplex) => {
      if (error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      refuseAfterAnswers(socket, () => {
        // Its last response has ended it.
        if (!socket.writable) return;
        socket.end(
          rawAnswer(errorOf(error.code, maxHeadBytes)),
          contained(() => socket.destroy()),
        );
      });
    }),
  );
  server.on(
    'checkExpectation',
    contained((_, res) => {
      answer(res, new BeckonError('EXPECTATION_FAILED', 'Unsupported Expect header. Send 100-continue or omit it.'));
    }),
  );
};

/**
 * Refuses an HTTP/1.1 request without a Host header; Node is configured to leave this to us. Source: RFC 9112, section
 * 3.2.
 *
 * @returns true if it was refused
 */
export const refusesHostless = (req: IncomingMessage, res: ServerResponse): boolean => {
  if (req.headers.host !== undefined || req.httpVersion !== '1.1') return false;
  answer(res, validationError({ host: ['is required'] }));
  return true;
};
