/** A request as the pipeline sees it, from any adapter. */
export type RequestView = {
  readonly method: string;
  /** As on the wire: percent-encoded, without query. */
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly query: string;
  /** The client's address of the connection, as the system writes it. Undefined: unknown. Throws nothing. */
  address(): string | undefined;
  /** Aborted with `clientLeft()` when the client closes the connection before its response. Throws nothing. */
  left?(): AbortSignal;
  /** `name` in lower case; values of a repeated header are joined by a comma. Throws nothing. */
  header(name: string): string | undefined;
  /**
   * Reads the whole body, or until `enoughBytes` arrived. A second call continues and returns everything from the
   * beginning; after the whole body nothing is read again.
   *
   * @param maxBytes the same in both calls
   * @param enoughBytes more may be returned if it came in the same packet. Default: the whole body
   * @throws BeckonError PAYLOAD_TOO_LARGE once more than `maxBytes` came; DEADLINE_EXCEEDED if it is not complete after
   * `withinMs`; VALIDATION_ERROR if the client aborted it
   */
  readBody(maxBytes: number, withinMs: number, enoughBytes?: number): Promise<Uint8Array>;
};
