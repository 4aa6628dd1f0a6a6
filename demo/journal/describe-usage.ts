import type { RunResult } from 'offstage'

/** Describes how many steps and tokens a run used. */
export function describeUsage({ steps, usage }: Pick<RunResult, 'steps' | 'usage'>): string {
  const { inputTokens, outputTokens } = usage
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? 'tokens not reported'
      : `${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out`
  return `${steps} ${steps === 1 ? 'step' : 'steps'} · ${tokens}`
}
