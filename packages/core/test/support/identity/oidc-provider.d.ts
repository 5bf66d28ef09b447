// The package has no types of its own.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }

  // biome-ignore lint/style/noDefaultExport: the package exports its class as the default.
  export { Provider as default };
}
