import type { EngineContext, EngineDefinition } from '../engines/engine-definition.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import { withRaw } from '../providers/core/raw-parts.ts'
import { asCount, asRecord } from '../providers/core/read-json.ts'
import type { ModelRequest } from '../providers/provider.ts'
import {
  findLanguageModel,
  type LanguageModelFactory,
  type LanguageModelSession,
  type Prompt,
} from './language-model.ts'
import { toPrompts } from './to-prompts.ts'

/** The browser's own model behind the engine's contract. A session a turn: it holds the history. */
export function promptApiDefinition(create: JsonObject): EngineDefinition {
  return {
    id: 'prompt-api',
    async prepare(config, context) {
      const session = await openSession([], { create, config, context })
      session.destroy()
    },
    stream: (request, config, context) => ask(request, { create, config, context }),
  }
}

interface Setting {
  readonly create: JsonObject
  readonly config: ModelConfigData
  readonly context: EngineContext
}

async function* ask(
  request: ModelRequest,
  setting: Setting,
): AsyncGenerator<readonly StreamPart[]> {
  const { signal } = setting.context
  const prompts = toPrompts(request)
  const session = await openSession(prompts.slice(0, -1), setting)
  try {
    const reader = session.promptStreaming(prompts.slice(-1), { signal }).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield withRaw(request, value, [{ type: 'text-delta', delta: value }])
    }
    yield [{ type: 'finish', finishReason: 'stop' }]
  } catch (thrown) {
    throw promptError(thrown)
  } finally {
    session.destroy()
  }
}

async function openSession(
  initialPrompts: readonly Prompt[],
  { create, config, context }: Setting,
): Promise<LanguageModelSession> {
  const { signal, progress } = context
  const options = { ...create, ...config.extraBody }
  const factory = await availableModel(options)
  try {
    return await factory.create({
      ...options,
      initialPrompts,
      signal,
      monitor(monitor) {
        monitor.addEventListener('downloadprogress', (event) => {
          const { loaded, total } = event as ProgressEvent
          progress({ loaded, total: total || 1, text: 'The browser downloads its model.' })
        })
      },
    })
  } catch (thrown) {
    throw promptError(thrown)
  }
}

async function availableModel(options: JsonObject): Promise<LanguageModelFactory> {
  const factory = findLanguageModel()
  if (!factory) {
    throw new OffstageError(
      'model-not-found',
      'This browser has no model of its own for pages (no LanguageModel), or the page is not served over HTTPS or from localhost.',
    )
  }
  if ((await factory.availability(options)) === 'unavailable') {
    throw new OffstageError(
      'model-not-found',
      "The browser's own model is unavailable: the device is too small, or it knows no such language or input.",
    )
  }
  return factory
}

/** The Prompt API's exceptions, by name. */
function promptError(thrown: unknown): unknown {
  const error = asRecord(thrown)
  const words = describeThrown(thrown)
  switch (error?.['name']) {
    case 'QuotaExceededError': {
      const contextWindow = asCount(error['quota'])
      const promptTokens = asCount(error['requested'])
      return new OffstageError(
        'context-overflow',
        `The conversation does not fit the browser's model: ${words}`,
        {
          details: {
            ...(contextWindow !== undefined && { contextWindow }),
            ...(promptTokens !== undefined && { promptTokens }),
          },
          cause: thrown,
        },
      )
    }
    case 'NotAllowedError':
      return new OffstageError(
        'permission-denied',
        `The browser refused its model: ${words} A download begins only after a click or a key: call agent.prepare() in its handler.`,
        { cause: thrown },
      )
    case 'NotSupportedError':
      return new OffstageError('bad-request', words, { cause: thrown })
    default:
      return thrown
  }
}
