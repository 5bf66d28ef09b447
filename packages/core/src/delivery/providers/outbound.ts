import { addressRules } from '../../foundation/net/addresses.ts';
import type { UrlRules } from '../../foundation/net/urls.ts';
import type { EndpointRules } from '../transports/web-push/subscription.ts';

type HostRules = {
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedPorts?: readonly number[] | undefined;
};

/** Replaces a provider's own host. */
type Endpoint = { readonly endpoint?: string | undefined };

/** The operator's rules for outbound hosts; a tenant's settings never set these. */
export type OutboundOptions = {
  /** Non-public networks that may be reached. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Certificate authorities to trust instead of the default ones. PEM. */
  readonly ca?: string | undefined;
  /** Hosts in place of the providers' own, such as a relay. */
  readonly apns?: { readonly production: string; readonly sandbox: string } | undefined;
  readonly fcm?:
    | { readonly endpoint?: string | undefined; readonly tokenUris?: readonly string[] | undefined }
    | undefined;
  /**
   * Allowed hosts of subscriptions. Default: any host; in a deployment with several orgs only the browsers' push
   * services.
   */
  readonly webPush?: HostRules | undefined;
  readonly smtp?: HostRules | undefined;
  /** `httpsOnly` refuses webhook URLs with http. */
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
 * Rules for URLs that tenants save for webhooks, webhook steps and AI providers. The resolved address is checked again
 * at each connection.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const savedUrlRules = ({ allowCidrs, webhooks }: OutboundOptions = {}): UrlRules => ({
  httpsOnly: webhooks?.httpsOnly,
  addresses: addressRules(allowCidrs),
});

/**
 * Rules for the endpoints of browser subscriptions.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const endpointRules = ({ allowCidrs, webPush }: OutboundOptions = {}): EndpointRules => ({
  ...webPush,
  addresses: addressRules(allowCidrs),
});
