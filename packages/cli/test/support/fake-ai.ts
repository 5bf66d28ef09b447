import type { AiSettingsInput, AiState, Beckon } from '@beckon/core';
import { AT, type World } from './world.ts';

const stateOf = (set: AiSettingsInput | undefined): AiState => ({
  configured: set !== undefined,
  wire: set?.wire ?? null,
  baseUrl: set?.baseUrl ?? null,
  lastFour: null,
  models: set?.models ?? {},
  prices: set?.prices ?? {},
  faultyAt: null,
  faultyCode: null,
  updatedAt: set ? AT : null,
  sharedTokens: { today: 7, perDay: 100_000 },
});

/** Keeps what it is given. */
export const ai = (state: World): Beckon['ai'] => ({
  get: async (orgId) => stateOf(state.ai.get(orgId)),
  put: async (orgId, body) => {
    state.ai.set(orgId, body);
    return stateOf(body);
  },
  remove: async (orgId) => {
    state.ai.delete(orgId);
    return stateOf(undefined);
  },
});
