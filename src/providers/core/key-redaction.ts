import type { StreamPart } from '../../protocol/message.ts'
import type { BatchProvider, Provider, RequestConfig, StreamOptions } from '../provider.ts'
import { Redactor } from '../../lib/redactor.ts'
import { collectSecrets } from './secrets.ts'

/**
 * Removes the provider's keys and header values from each part that it emits, in case a server echoes them. A key that
 * an answer spreads over several parts isn't found: the server that writes it has it already.
 */
export function withKeyRedaction(
  provider: BatchProvider | Provider,
  config: RequestConfig,
): Provider {
  // Shared by all attempts: a key that was replaced after a 401 is still secret.
  const redactor = new Redactor(collectSecrets(config))
  const batches: Provider['batches'] = (request, options = {}) =>
    redactBatches(provider.batches(request, learningKeys(options, redactor, config)), redactor)
  return {
    id: provider.id,
    batches,
    stream: (request, options) => flatten(batches(request, options)),
  }
}

function learningKeys(
  options: StreamOptions,
  redactor: Redactor,
  config: RequestConfig,
): StreamOptions {
  const { credentials } = options
  if (!credentials) return options
  return {
    ...options,
    async credentials(previousRejected, endpoint) {
      const given = await credentials(previousRejected, endpoint)
      redactor.add(collectSecrets({ ...config, ...given }))
      return given
    },
  }
}

async function* redactBatches(
  batches: AsyncIterable<readonly StreamPart[]>,
  redactor: Redactor,
): AsyncGenerator<readonly StreamPart[]> {
  for await (const batch of batches)
    yield redactor.isIdle ? batch : batch.map((part) => redactor.redactAll(part))
}

/** The parts of all batches, one by one. */
async function* flatten(batches: AsyncIterable<readonly StreamPart[]>): AsyncGenerator<StreamPart> {
  for await (const batch of batches) {
    // Not `yield*`: that wraps each array in an iterator of promises.
    for (const part of batch) yield part
  }
}
