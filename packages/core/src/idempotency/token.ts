/**
 * One request with an `Idempotency-Key`, on its way: what `idempotency.run` hands to its work, to be passed on to the
 * engine that writes what the request asked for. Made nowhere else.
 */
export type Once = { readonly tag: string };
