// For authors of custom transports: the contract of every transport as a suite for vitest.
export {
  type Behaviour,
  type Changes,
  type Oddity,
  type StandIn,
  type TransportCase,
  type TransportSubject,
  transportContract,
} from './delivery/transports/testing/contract.ts';
