import { pageEngine } from '../serve-port.ts'
import type { Engine } from '../../protocol/engine.ts'
import type { JsonObject } from '../../protocol/json.ts'
import {
  type Availability,
  findLanguageModel,
  promptApiDefinition,
} from './prompt-api-definition.ts'

/** Options of `promptApi` and `promptApiAvailability`. Pass the same to both. */
export interface PromptApiOptions {
  /** Options for `LanguageModel.create()`: `expectedInputs`, `expectedOutputs`, `topK`, `temperature`. */
  readonly create?: JsonObject
}

/**
 * The browser's own model (`LanguageModel`, pages only): `createAgent({ engines: [promptApi()], model: { provider:
 * 'prompt-api', model: 'default' } })`. Always uses ACTION mode. Nothing is downloaded before `agent.prepare()` or a
 * run.
 */
export function promptApi({ create = {} }: PromptApiOptions = {}): Engine {
  return pageEngine(promptApiDefinition(create), { toolMode: 'action' })
}

/** Reads the state of the browser's model: `'unavailable'` if there is none. Downloads nothing. */
export async function promptApiAvailability({
  create = {},
}: PromptApiOptions = {}): Promise<Availability> {
  return (await findLanguageModel()?.availability(create)) ?? 'unavailable'
}

export type { Availability } from './prompt-api-definition.ts'
