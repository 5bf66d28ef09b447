import type * as Sdk from '../src/beckon-iife.ts';

declare global {
  /** What the script tag defines. */
  const Beckon: typeof Sdk;
  interface Window {
    beckon: Sdk.Client;
    errors: string[];
  }
}
