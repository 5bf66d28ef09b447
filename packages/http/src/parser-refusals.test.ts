import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { answerParserRefusals } from './parser-refusals.ts';

/** What is written to a socket whose request failed with this code. */
const answerTo = (code: string): Promise<string> => {
  const server = createServer();
  answerParserRefusals(server, 16_384);
  const socket = new PassThrough();
  const written = text(socket);
  server.emit('clientError', Object.assign(new Error('refused'), { code }), socket);
  return written;
};

describe('requests that node:http refuses', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large', 'PAYLOAD_TOO_LARGE'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'REQUEST_TIMEOUT'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'VALIDATION_ERROR'],
  ])('a parser error %s is answered %s', async (code, status, expected) => {
    const [head = '', body = ''] = (await answerTo(code)).split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: expected } });
  });

  it('a parser error after the client has left is not answered', async () => {
    const socket = new PassThrough();
    const server = createServer();
    answerParserRefusals(server, 16_384);
    server.emit('clientError', Object.assign(new Error('gone'), { code: 'ECONNRESET' }), socket);
    expect([socket.destroyed, socket.read()]).toEqual([true, null]);
  });
});
