import { OffstageError } from '../protocol/error.ts'
import { PROVIDER_IDS } from '../protocol/model.ts'
import type { RunLimits } from '../protocol/run.ts'
import { badConfig } from './failures.ts'
import { checkNames, isMisspelt } from './check-names.ts'
import type { AgentOptions, ModelConfig, RunInput } from './options.ts'

/** Throws an `OffstageError` that says what to change. */
export function checkOptions(options: AgentOptions): void {
  checkNames(options ?? {}, 'createAgent')
  const { storage, worker } = options ?? {}
  checkModel(options?.model, options ?? {})
  const wrong = wrongLimit(options)
  if (wrong) throw badConfig(wrong)
  const { verifyRounds = 0 } = options
  if (!Number.isInteger(verifyRounds) || verifyRounds < 0)
    throw badConfig('verifyRounds must be a whole number, 0 or more.')
  if (storage !== undefined && storage !== 'memory' && !storage?.name)
    throw badConfig("storage must be 'memory' or { name }.")
  for (const engine of options.engines ?? [])
    if (typeof engine?.open !== 'function' || typeof engine.release !== 'function')
      throw badConfig('engines must be objects with open() and release().')
  if (worker && options.workerUrl) throw badConfig('Give worker or workerUrl, not both.')
}

/**
 * A custom worker may know providers that the built-in one doesn't; those, and engines, may have
 * options of their own beside the known ones.
 */
export function checkModel(
  model: ModelConfig,
  { worker, workerUrl, engines = [] }: Partial<AgentOptions>,
): void {
  const { provider } = model ?? {}
  if (!provider || !model.model)
    throw badConfig("model must be like { provider: 'ollama', model: 'qwen3:4b' }.")
  const known = [...PROVIDER_IDS, ...engines.map((engine) => engine?.id)]
  if (!worker && !workerUrl && !known.includes(provider))
    throw new OffstageError(
      'unknown-provider',
      `There is no provider ${provider}. Use one of ${known.join(', ')}, or pass a worker that registers it.`,
    )
  const isOwn = !(PROVIDER_IDS as readonly string[]).includes(provider)
  checkNames(model, 'model', { allows: (name) => isOwn && !isMisspelt(name, 'model') })
  if (provider === 'openai-compatible' && !model.baseURL)
    throw badConfig(`The provider ${provider} needs a baseURL.`)
}

/** What is wrong with the limits, if something is. */
export function wrongLimit({ maxSteps = 0, retries = 0 }: Partial<RunLimits>): string | undefined {
  if (!Number.isInteger(maxSteps) || maxSteps < -1)
    return 'maxSteps must be a whole number, -1 (no limit) or more.'
  if (!Number.isInteger(retries) || retries < 0) return 'retries must be a whole number, 0 or more.'
  return undefined
}

/** True when there is something to send. */
export function hasContent(input: RunInput): boolean {
  if (typeof input === 'string') return input.trim() !== ''
  return (
    Array.isArray(input) &&
    input.some((part) => part?.type !== 'text' || part.text?.trim?.() !== '')
  )
}
