import type { RunResult } from 'offstage'

/** What a run took, in words. */
export function describeUsage({ steps, usage }: Pick<RunResult, 'steps' | 'usage'>): string {
  const { inputTokens, outputTokens } = usage
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? 'tokens not reported'
      : `${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out`
  return `${steps} ${steps === 1 ? 'step' : 'steps'} · ${tokens}`
}
