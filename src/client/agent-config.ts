import type { StepContext, StepQuery } from '../protocol/questions.ts'
import { fillValues } from './fill-values.ts'
import type { AgentOptions, ModelConfig, PromptValues } from './options.ts'

/** What `configure()` and `addContext()` can change; read anew for every step. */
export interface AgentConfig {
  model: ModelConfig
  instructions: string
  values: PromptValues
  /** Parts of the live context, behind the one of the options. */
  readonly contexts: Set<() => unknown>
}

/** A model that thinks may take minutes. */
const REFLECT_MS = 120_000

/** Which model is to be asked. */
export function modelFor(
  { titles: forTitle, reflects }: StepQuery,
  { titles, reflect }: AgentOptions,
  { model }: Pick<AgentConfig, 'model'>,
): ModelConfig {
  if (forTitle) return typeof titles === 'object' ? titles.model : model
  return (reflects && reflect?.model) || model
}

/** How answers are reflected on, if they are. Throws `invalid-config` for a value that is missing. */
export function reflectSettings(
  { reflect }: AgentOptions,
  { values }: Pick<AgentConfig, 'values'>,
): Pick<StepContext, 'reflect'> {
  if (!reflect) return {}
  const { mode, timeoutMs = REFLECT_MS } = reflect
  const instructions = fillValues(reflect.instructions, values, 'invalid-config')
  return { reflect: { mode, instructions, timeoutMs } }
}
