/** Result of an ingested bounce or complaint email. */
export type BounceResult = {
  /**
   * `ignored`: no bounce or complaint, or nothing new. `unknown`: about no message of Beckon. `early`: its message is
   * still being handed over; ingest it again in a minute.
   */
  readonly result: 'applied' | 'ignored' | 'early' | 'unknown';
  /**
   * What the email reports: the address accepts no email (`bounced`), the email was not delivered (`failed`), not
   * delivered to every recipient behind the address (`partial`), or someone complained.
   */
  readonly reported: 'bounced' | 'failed' | 'partial' | 'complained' | null;
  readonly messageId: string | null;
};

/**
 * Bounces and complaints that arrive by email. The message is identified by its return path, never by text. A bounce
 * lists the address only if it reports the address as dead; any other bounce makes the message `failed`.
 */
export type BouncesApi = {
  /**
   * Ingests one email: a delivery status notification or a complaint in the Abuse Reporting Format. Idempotent. Throws
   * OVERLOADED, and what the database throws.
   *
   * @param mail as received, headers first
   * @param options `recipient`: the address at which it arrived; default: from its delivery headers
   */
  ingest(mail: Uint8Array, options?: { readonly recipient?: string | undefined }): Promise<BounceResult>;
};
