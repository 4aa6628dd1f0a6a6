import { EngineConnection } from '../../engines/engine-connection.ts'
import { engineError } from '../../engines/engine-error.ts'
import type { WorkerNotice } from '../../protocol/notices.ts'
import type { PageApi, StepContext } from '../../protocol/page-calls.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/message.ts'
import { abortedError } from '../../providers/core/provider-error.ts'
import type { ModelRequest, Provider } from '../../providers/provider.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { whenAborted } from '../../lib/abort.ts'

/** The provider for a step's model: an engine of the page, or one that runs in this worker. */
export function providerOf(
  {
    agentId,
    hasEngine,
    model,
  }: Pick<StepContext, 'hasEngine' | 'model'> & { readonly agentId: string },
  { engines, providers }: { readonly engines: Engines; readonly providers: ProviderRegistry },
): Pick<Provider, 'batches'> {
  return hasEngine ? engines.provider(agentId, model) : providers.create(model)
}

export interface EnginesOptions {
  readonly openEngine: PageApi['openEngine']
  readonly notify: (notice: WorkerNotice) => void
}

/** The connection to one engine. */
interface EngineSlot {
  line: Promise<EngineConnection> | null
  /** Id of the instance that died most recently. It is sent to the page, which starts another instance. */
  lost: string | null
}

/**
 * Connections to the page's engines, one for each agent and engine. Opens a connection on first use, and again after
 * its engine has died.
 */
export class Engines {
  readonly #options: EnginesOptions
  /** Connections by agent id, then by provider id. */
  readonly #slots = new Map<string, Map<string, EngineSlot>>()
  readonly #preparing = new Map<string, Set<AbortController>>()

  constructor(options: EnginesOptions) {
    this.#options = options
  }

  /** Wraps the engine as a provider. Opens no connection before the first request. */
  provider(agentId: string, config: ModelConfigData): Pick<Provider, 'batches'> {
    return {
      batches: (request, { signal } = {}) =>
        this.#stream({ agentId, config, request, ...(signal && { signal }) }),
    }
  }

  /** Loads the model. Rejects with an `OffstageError`, `aborted` after `stopPreparing`. */
  async prepare(agentId: string, config: ModelConfigData): Promise<void> {
    const stop = new AbortController()
    const controllers = this.#preparing.get(agentId) ?? new Set()
    this.#preparing.set(agentId, controllers.add(stop))
    try {
      const connection = await this.#connect(agentId, config.provider)
      await connection.prepare(config, stop.signal)
    } catch (thrown) {
      throw OffstageError.fromData(engineError(thrown))
    } finally {
      controllers.delete(stop)
    }
  }

  stopPreparing(agentId: string): void {
    for (const stop of this.#preparing.get(agentId) ?? []) stop.abort()
  }

  release(agentId: string): void {
    const slots = this.#slots.get(agentId)
    this.#slots.delete(agentId)
    const error = new OffstageError('disposed', 'The agent was disposed.').toData()
    for (const { line } of slots?.values() ?? []) {
      line?.then((connection) => connection.close(error)).catch(() => undefined)
    }
  }

  async *#stream(turn: {
    readonly agentId: string
    readonly config: ModelConfigData
    readonly request: ModelRequest
    readonly signal?: AbortSignal
  }): AsyncGenerator<readonly StreamPart[]> {
    const { agentId, config, request, signal } = turn
    try {
      const line = this.#connect(agentId, config.provider)
      const connection = await (signal ? Promise.race([line, whenAborted(signal)]) : line)
      if (connection) yield* connection.stream(request, config, signal)
      else if (signal) yield [{ type: 'error', error: abortedError(signal) }]
    } catch (thrown) {
      yield [{ type: 'error', error: engineError(thrown) }]
    }
  }

  #connect(agentId: string, provider: string): Promise<EngineConnection> {
    const slots = this.#slots.get(agentId) ?? new Map<string, EngineSlot>()
    this.#slots.set(agentId, slots)
    const slot = slots.get(provider) ?? { line: null, lost: null }
    slots.set(provider, slot)
    if (slot.line) return slot.line
    const line = this.#openEngine(slot, agentId, provider)
    slot.line = line
    line.catch(() => {
      slot.line = null
    })
    return line
  }

  async #openEngine(
    slot: EngineSlot,
    agentId: string,
    provider: string,
  ): Promise<EngineConnection> {
    const { lost } = slot
    const line = await this.#options.openEngine({
      agentId,
      provider,
      ...(lost !== null && { lost }),
    })
    return new EngineConnection(line, {
      onProgress: ({ model }, progress) =>
        this.#options.notify({ type: 'engine-progress', agentId, provider, model, ...progress }),
      onLost: () => {
        slot.line = null
        slot.lost = line.instance
      },
    })
  }
}
