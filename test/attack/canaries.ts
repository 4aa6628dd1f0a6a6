/** Secrets of the agent and of the page: no output has them, whatever its policies. */
export const SECRETS = {
  key: 'CANARY-KEY-41',
  masked: 'CANARY-MASKED-52',
  other: 'CANARY-OTHER-63',
  user: 'CANARY-USER-74',
} as const

/** Values that another conversation, or another user, keeps in a memory and on a blackboard. */
export const KEPT = { memory: 'CANARY-MEMORY-85', block: 'CANARY-BLOCK-96' } as const

/** Values that belong to others, and aren't secrets of the agent or the page. */
export const OF_OTHERS = /CANARY-(?:OTHER|USER|MEMORY|BLOCK)-\d+/
