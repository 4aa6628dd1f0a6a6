import { isCustomStorage } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import { isPricedVendor, modelName, pricesMissing, PROVIDER_IDS } from '../../protocol/model.ts'
import type { RunLimits } from '../../protocol/run.ts'
import { badConfig } from './failures.ts'
import { checkNames, hintAmong, isMisspelt } from './check-names.ts'
import { memoriesOf } from '../features/memory.ts'
import type { AgentOptions, ModelConfig, RunInput } from './options.ts'

/** Copies a configuration, so that later changes to the object or its headers have no effect. */
export function copyConfig(config: ModelConfig): ModelConfig {
  const { headers } = config
  return { ...config, ...(typeof headers === 'object' && { headers: { ...headers } }) }
}

/** Throws an `OffstageError` that says what to change. */
export function checkOptions(options: AgentOptions): void {
  checkNames(options ?? {}, 'createAgent')
  const { compaction, storage, worker } = options ?? {}
  checkModel(options?.model, options ?? {})
  const problem = limitProblem({ ...options, ...options.limits })
  if (problem) throw badConfig(problem)
  const { verifyRounds = 0 } = options
  if (!Number.isInteger(verifyRounds) || verifyRounds < 0)
    throw badConfig('verifyRounds must be a whole number, 0 or more.')
  checkReflect(options)
  checkPrices(options.limits, options)
  if (storage !== undefined && storage !== 'memory' && !storage?.name && !isCustomStorage(storage))
    throw badConfig("storage must be 'memory' or { name }, or { type } of a store of your worker.")
  const { at = 1 } = compaction || {}
  if (!(at > 0 && at <= 1)) throw badConfig('compaction.at must be above 0 and at most 1.')
  if (typeof options.titles === 'object') checkModel(options.titles.model, options)
  const { days = 1, ...counts } = options.retention ?? {}
  if (!(days > 0)) throw badConfig('retention.days must be a number above 0.')
  for (const [name, count] of Object.entries(counts))
    if (count !== undefined && (!Number.isInteger(count) || count < 1))
      throw badConfig(`retention.${name} must be a whole number, 1 or more.`)
  for (const engine of options.engines ?? [])
    if (typeof engine?.open !== 'function' || typeof engine.release !== 'function')
      throw badConfig('engines must be objects with open() and release().')
  for (const memory of memoriesOf(options))
    if (typeof memory?.retrieve !== 'function') throw badConfig('A memory must have retrieve().')
  if (worker && options.workerUrl) throw badConfig('Give worker or workerUrl, not both.')
}

function checkReflect({ reflect, ...options }: AgentOptions): void {
  if (reflect === undefined) return
  if (!reflect.mode || !reflect.instructions?.trim())
    throw badConfig("reflect must be like { instructions: 'Check the sums.', mode: 'annotate' }.")
  if (reflect.model) checkModel(reflect.model, options)
}

/**
 * Checks a model. A custom worker may have other providers. Such providers, and engines, may have options of their own.
 */
export function checkModel(
  model: ModelConfig,
  { worker, workerUrl, engines = [] }: Partial<AgentOptions>,
): void {
  const { provider } = model ?? {}
  if (!provider || !modelName(model))
    throw badConfig("model must be like { provider: 'ollama', model: 'qwen3:4b' }.")
  const providers = [...PROVIDER_IDS, ...engines.map((engine) => engine?.id)]
  if (!worker && !workerUrl && !providers.includes(provider))
    throw new OffstageError(
      'unknown-provider',
      `There is no provider ${provider}. ${hintAmong(provider, providers)}`,
    )
  const isCustom = !(PROVIDER_IDS as readonly string[]).includes(provider)
  checkNames(model, 'model', { allows: (name) => isCustom && !isMisspelt(name, 'model') })
  const { prices } = model
  if (prices && !(prices.input < Infinity && prices.output < Infinity))
    throw badConfig('model.prices must have input and output, in USD per million tokens.')
  if (provider === 'openai-compatible' && !model.baseURL)
    throw badConfig(`The provider ${provider} needs a baseURL.`)
}

/** Returns the message for an invalid limit; undefined if all are valid. */
export function limitProblem(limits: Partial<RunLimits>): string | undefined {
  const { maxSteps = 0, retries = 0, maxChildren = 0 } = limits
  const { steps = 1, tokens = 1, costUSD = 1, minutes = 1 } = limits
  if (!Number.isInteger(maxSteps) || maxSteps < -1)
    return 'maxSteps must be a whole number, -1 (no limit) or more.'
  for (const [name, value] of Object.entries({ retries, maxChildren }))
    if (!Number.isInteger(value) || value < 0) return `${name} must be a whole number, 0 or more.`
  for (const [name, value] of Object.entries({ steps, tokens }))
    if (!Number.isInteger(value) || value < 1)
      return `limits.${name} must be a whole number, 1 or more.`
  for (const [name, value] of Object.entries({ costUSD, minutes }))
    if (!(value > 0 && value < Infinity)) return `limits.${name} must be a number above 0.`
  return undefined
}

/**
 * Throws for a cost limit if a model has no prices, because the limit would have no effect. Accepts any model of a
 * vendor with a price list: only the worker knows which models the list has.
 */
export function checkPrices(
  limits: Partial<RunLimits> | undefined,
  { model, reflect }: Pick<AgentOptions, 'model' | 'reflect'>,
): void {
  if (limits?.costUSD === undefined) return
  const models = [model, reflect?.model ?? model]
  const unpriced = models.find(({ prices, provider }) => !prices && !isPricedVendor(provider))
  if (unpriced) throw badConfig(pricesMissing(modelName(unpriced)))
}

/** True if there is something to send. */
export function hasContent(input: RunInput): boolean {
  if (typeof input === 'string') return input.trim() !== ''
  return (
    Array.isArray(input) &&
    input.some((part) => part?.type !== 'text' || part.text?.trim?.() !== '')
  )
}
