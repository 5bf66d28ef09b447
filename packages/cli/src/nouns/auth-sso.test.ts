import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../core/test/support/identity/x509.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const PUBLIC_URL = 'https://auth.example';
const certificates = [selfSigned().pem, selfSigned().pem];
const metadata =
  '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example/metadata">' +
  '<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing">' +
  '<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>' +
  `${(certificates[0] ?? '').replaceAll(/-----[^-]+-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
  '</md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"' +
  ' Location="https://idp.example/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>';

describe('auth sso', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli({ BECKON_PUBLIC_URL: PUBLIC_URL }, { publicUrl: PUBLIC_URL });
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run(['auth', 'sso', ...argv, '--env', 'test'], options);
  const only = async () => (await cli.beckon.auth.listSsoConnections(cli.scope)).data[0];

  it('a SAML connection is created from metadata, shown, changed for a new certificate, and deleted', async () => {
    expect((await run(['list'])).err).toContain('No SSO connections yet in test');
    const created = await run(['create', 'Corp', '--metadata', '-', '--provider', 'okta'], { stdin: metadata });
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out).toMatch(/^Corp \(saml\): [\w-]{36}\nEntity id \(audience\): https:\/\/auth\.example\//);
    expect(created.out).toContain('/acs\nCertificate until ');
    const id = (await only())?.id ?? '';
    expect((await run(['list'])).out).toMatch(/\tCorp\tsaml\tenabled\t/);
    const folder = mkdtempSync(join(tmpdir(), 'beckon-sso-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = certificates.map((pem, at) => {
      const file = join(folder, `${at}.pem`);
      writeFileSync(file, pem);
      return file;
    });
    const changed = await run([
      ...['update', id, '--certificate', ...files, '--name', 'Corp Ltd', '--enabled', 'no'],
      ...['--attribute', 'email=mail', 'groups=roles', '--idp-initiated', 'yes'],
    ]);
    expect(changed).toMatchObject({ code: 0 });
    expect(await only()).toMatchObject({
      ...{ name: 'Corp Ltd', enabled: false, provider: 'okta' },
      attributes: { email: ['mail'], groups: ['roles'], name: ['name', 'displayName'] },
      saml: { idpInitiated: true, certificates: [{}, {}] },
    });
    expect((await run(['show', id])).out).toContain('Corp Ltd (saml, disabled)');
    expect((await run(['update', id, '--attribute', 'mail'])).code).toBe(2);
    expect((await run(['delete', id])).code).toBe(0);
    expect((await run(['show', id])).code).toBe(1);
  });

  it('an OpenID connection is created with a secret of stdin, and its domain is added, listed and deleted', async () => {
    const argv = ['create', 'Corp', '--issuer', 'https://corp.okta.com', '--client-id', 'client-1'];
    const created = await run([...argv, '--secret-file', '-'], { stdin: 'secret-of-the-app\n' });
    expect(created.out).toMatch(/Callback URL: https:\/\/auth\.example\/.*\/callback\n/);
    const id = (await only())?.id ?? '';
    expect((await run(['domains', 'list'])).err).toContain('No SSO domains yet in test');
    const added = await run(['domains', 'create', 'corp.example', '--connection', id]);
    expect(added.out).toMatch(/^TXT\t_beckon-sso\.corp\.example\tbeckon-sso=[0-9a-f]{32}\n$/);
    expect(added.err).toContain('beckon auth sso domains verify corp.example');
    expect((await run(['domains', 'list'])).out).toMatch(/^corp\.example\tpending\t/m);
    expect((await run(['show', id, '--json'])).out).not.toContain('secret-of-the-app');
    expect((await run(['domains', 'delete', 'else.example'])).code).toBe(1);
    expect((await run(['domains', 'delete', 'corp.example'])).code).toBe(0);
  });
});
