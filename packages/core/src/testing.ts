// For whoever writes a transport of their own: what every transport promises, as a suite for vitest.
export {
  type Behaviour,
  type Changes,
  type Oddity,
  type StandIn,
  type TransportCase,
  type TransportSubject,
  transportContract,
} from './delivery/transports/testing/contract.ts';
