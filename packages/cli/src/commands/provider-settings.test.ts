import { describe, expect, it } from 'vitest';
import { CliError } from '../exit-codes.ts';
import { mailServerOf } from './provider-settings.ts';

describe('mailServerOf', () => {
  it.each([
    ['smtps://u:p@mail.test', { host: 'mail.test', port: 465, secure: true, user: 'u', password: 'p' }],
    ['smtp://u:p@mail.test', { host: 'mail.test', port: 587, secure: false, user: 'u', password: 'p' }],
    ['smtp://mail.test:2525', { host: 'mail.test', port: 2525, secure: false }],
    ['smtp://mail.test/', { host: 'mail.test', port: 587, secure: false }],
    ['smtps://[2001:db8::1]:465', { host: '2001:db8::1', port: 465, secure: true }],
    ['smtps://u%40d:p%3A%2F%23%25@m.test:1', { host: 'm.test', port: 1, secure: true, user: 'u@d', password: 'p:/#%' }],
  ])('mailServerOf reads %s', (text, server) => {
    expect(mailServerOf(text)).toEqual(server);
  });

  it.each([
    'canary',
    'https://u:canary@mail.test',
    'smtp://',
    'smtp://u:canary#x@mail.test',
    'smtp://u:canary/x@mail.test',
    'smtp://u:canary@mail.test?tls=no',
    'smtp://u:canary%@mail.test',
    'smtp://u:canary@mail.test:99999',
  ])('mailServerOf rejects %s without repeating it', (text) => {
    const failure = (): unknown => mailServerOf(text);
    expect(failure).toThrow(CliError);
    expect(failure).toThrow(expect.objectContaining({ exitCode: 5 }));
    expect(failure).not.toThrow(/canary/);
  });
});
