import { addressRules } from '../../foundation/net/addresses.ts';
import type { UrlRules } from '../../foundation/net/urls.ts';
import type { EndpointRules } from '../transports/web-push/subscription.ts';

type HostRules = {
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedPorts?: readonly number[] | undefined;
};

/** What takes the place of a provider's own host. */
type Endpoint = { readonly endpoint?: string | undefined };

/** The operator's word on the hosts that are connected to; a tenant's settings never set these. */
export type OutboundOptions = {
  /** Networks that may be connected to although they are not public. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Authorities to trust instead of the usual ones. PEM. */
  readonly ca?: string | undefined;
  /** Other hosts than the providers' own, such as a relay. */
  readonly apns?: { readonly production: string; readonly sandbox: string } | undefined;
  readonly fcm?:
    | { readonly endpoint?: string | undefined; readonly tokenUris?: readonly string[] | undefined }
    | undefined;
  /** Hosts of subscriptions; absent: any, and where several orgs share the deployment those of the browsers' services. */
  readonly webPush?: HostRules | undefined;
  readonly smtp?: HostRules | undefined;
  /** `httpsOnly` refuses receivers at http. */
  readonly webhooks?: { readonly httpsOnly?: boolean | undefined } | undefined;
  readonly ses?: Endpoint | undefined;
  readonly sendgrid?: Endpoint | undefined;
  readonly postmark?: Endpoint | undefined;
  readonly mailgun?: Endpoint | undefined;
  readonly resend?: Endpoint | undefined;
  readonly twilio?: Endpoint | undefined;
  readonly telnyx?: Endpoint | undefined;
};

/**
 * What URLs tenants may save for webhooks, webhook steps and providers of models. Where the name of a host leads to is
 * judged again when a connection is made.
 *
 * @throws TypeError when an allowed network is none
 */
export const savedUrlRules = ({ allowCidrs, webhooks }: OutboundOptions = {}): UrlRules => ({
  httpsOnly: webhooks?.httpsOnly,
  addresses: addressRules(allowCidrs),
});

/**
 * What the endpoints of browsers may be, which devices register.
 *
 * @throws TypeError when an allowed network is none
 */
export const endpointRules = ({ allowCidrs, webPush }: OutboundOptions = {}): EndpointRules => ({
  ...webPush,
  addresses: addressRules(allowCidrs),
});
