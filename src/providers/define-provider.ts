import { OffstageError } from '../protocol/error.ts'
import type { HttpProviderDefinition, StreamProviderDefinition } from './provider.ts'

/** A provider definition with any type of state. */
export type ProviderDefinition = HttpProviderDefinition<unknown> | StreamProviderDefinition

/**
 * Checks and types a custom provider: an HTTP wire format, or any other stream. Pass the result to
 * `createProvider(config, { providers })` or `startWorker({ providers })`. Throws `invalid-config` if
 * a part is missing.
 */
export function defineProvider<State>(
  definition: HttpProviderDefinition<State> | StreamProviderDefinition,
): HttpProviderDefinition<State> | StreamProviderDefinition {
  if (typeof definition.id !== 'string' || definition.id === '') {
    throw new OffstageError('invalid-config', 'A provider needs an id.')
  }
  const isHttp = 'toRequest' in definition
  const isComplete = isHttp
    ? isFunction(definition.start) && isFunction(definition.mapChunk)
    : isFunction(definition.stream)
  if (!isComplete) {
    throw new OffstageError(
      'invalid-config',
      `The provider '${definition.id}' must have toRequest, start and mapChunk, or stream.`,
    )
  }
  return definition
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
