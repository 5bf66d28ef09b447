import { describe, expect, it } from 'vitest';
import { signedHeaders } from './sign.ts';

describe('signedHeaders', () => {
  // Source: AWS, Signature Version 4 test suite.
  it.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('signs the vanilla %s of the published suite as it is published', (method, signature) => {
    const signed = signedHeaders(
      { method, host: 'example.amazonaws.com', path: '/', headers: {}, body: '' },
      { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
      { region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') },
    );
    expect(signed).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

  it('signedHeaders signs and sends a session token', () => {
    const signed = signedHeaders(
      { method: 'GET', host: 'example.amazonaws.com', path: '/', headers: {}, body: '' },
      { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
      { region: 'us-east-1', service: 'ses', now: new Date('2015-08-30T12:36:00Z') },
    );
    expect(signed).toMatchObject({
      'x-amz-security-token': 'token',
      authorization: expect.stringContaining('SignedHeaders=host;x-amz-date;x-amz-security-token,'),
    });
  });
});
