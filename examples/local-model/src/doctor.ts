import type { ModelConfig } from 'offstage'
import { diagnose } from 'offstage/providers'

export interface Finding {
  readonly isOk: boolean
  readonly text: string
}

/**
 * Says whether the model can be used. If not, says why and what to set. With `probe`, the model must
 * call a tool, which may load it first.
 */
export async function examine(
  config: ModelConfig,
  options: { readonly probe: boolean; readonly signal: AbortSignal },
): Promise<Finding> {
  const { ok, checks } = await diagnose(config, options)
  const problem =
    checks.find(({ status }) => status === 'failed') ??
    checks.find(({ status }) => status === 'warning')
  if (problem) return { isOk: ok, text: [problem.message, problem.fix].filter(Boolean).join(' ') }
  const text = options.probe ? 'called a tool.' : 'is reachable.'
  return { isOk: true, text: `${config.model ?? 'The model'} ${text}` }
}
