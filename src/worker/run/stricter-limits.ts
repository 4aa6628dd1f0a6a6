import { MOST_CHILDREN, type LimitName, type RunLimits } from '../../protocol/run.ts'

const NAMES: readonly LimitName[] = ['steps', 'tokens', 'costUSD', 'minutes']

/** Takes the lower value of each limit. A limit that only one side sets applies, too. Pure. */
export function stricterLimits(one: RunLimits, other: RunLimits): RunLimits {
  const maxSteps = Math.min(stepsOf(one), stepsOf(other))
  const lowest = NAMES.flatMap((name) => {
    const limit = Math.min(one[name] ?? Infinity, other[name] ?? Infinity)
    return limit === Infinity ? [] : [[name, limit] as const]
  })
  return {
    maxSteps: maxSteps === Infinity ? -1 : maxSteps,
    retries: Math.min(one.retries, other.retries),
    maxChildren: Math.min(one.maxChildren ?? MOST_CHILDREN, other.maxChildren ?? MOST_CHILDREN),
    ...Object.fromEntries(lowest),
  }
}

function stepsOf({ maxSteps }: RunLimits): number {
  return maxSteps < 0 ? Infinity : maxSteps
}
