import type { EngineContext, EngineDefinition } from '../engine-definition.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/message.ts'
import { withRaw } from '../../providers/core/raw-parts.ts'
import { asCount, asRecord, asText, omitUndefined } from '../../providers/core/read-json.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { withSingleSystemMessage } from '../single-system-message.ts'
import { type ChatMessage, chatMessages } from '../../providers/openai/messages.ts'
import { compatible } from '../../providers/openai/presets.ts'

/** The browser's own model as an engine. A session stores the history, so each turn opens a new session. */
export function promptApiDefinition(create: JsonObject): EngineDefinition {
  return {
    id: 'prompt-api',
    async prepare(config, context) {
      const session = await openSession([], { create, config, context })
      session.destroy()
    },
    stream: (request, config, context) => streamAnswer(request, { create, config, context }),
  }
}

interface Setting {
  readonly create: JsonObject
  readonly config: ModelConfigData
  readonly context: EngineContext
}

async function* streamAnswer(
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
      "The browser's own model is unavailable: the device is too small, or the language or input is unsupported.",
    )
  }
  return factory
}

/** Converts the Prompt API's exceptions, by name, to typed errors. */
function promptError(thrown: unknown): unknown {
  const error = asRecord(thrown)
  const message = describeThrown(thrown)
  switch (error?.['name']) {
    case 'QuotaExceededError': {
      const contextWindow = asCount(error['quota'])
      const promptTokens = asCount(error['requested'])
      return new OffstageError(
        'context-overflow',
        `The conversation does not fit the browser's model: ${message}`,
        {
          details: { limits: omitUndefined({ contextWindow, promptTokens }) },
          cause: thrown,
        },
      )
    }
    case 'NotAllowedError':
      return new OffstageError(
        'permission-denied',
        `The browser refused its model: ${message} A download begins only after a click or a key: call agent.prepare() in its handler.`,
        { cause: thrown },
      )
    case 'NotSupportedError':
      return new OffstageError('bad-request', message, { cause: thrown })
    default:
      return thrown
  }
}

/** Converts the conversation for the Prompt API: a system prompt first, then user and assistant messages. */
function toPrompts(request: ModelRequest): Prompt[] {
  const turns: ModelRequest = { ...withSingleSystemMessage(request), toolMode: 'action' }
  return chatMessages(turns, { providerId: 'prompt-api', rules: compatible }).map(toPrompt)
}

function toPrompt({ role, content }: ChatMessage): Prompt {
  return {
    role: role === 'tool' ? 'user' : role,
    content: typeof content === 'string' ? content : (content ?? []).map(toPart),
  }
}

function toPart(part: unknown): PromptPart {
  const record = asRecord(part)
  const text = asText(record?.['text'])
  if (text !== undefined) return { type: 'text', value: text }
  const url = asText(asRecord(record?.['image_url'])?.['url'])
  if (url !== undefined) return { type: 'image', value: toBlob(url) }
  throw new OffstageError('bad-request', 'The browser’s model takes text and images only.')
}

function toBlob(dataUrl: string): Blob {
  const [, type = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(dataUrl) ?? []
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}

/** The part of the browser's Prompt API that Offstage uses (https://developer.mozilla.org/docs/Web/API/LanguageModel). */
interface LanguageModelFactory {
  availability(options?: object): Promise<Availability>
  create(options: {
    readonly initialPrompts: readonly Prompt[]
    readonly signal: AbortSignal
    readonly monitor: (monitor: EventTarget) => void
  }): Promise<LanguageModelSession>
}

/** State of the browser's model. `downloadable`: the first use downloads it, which needs a user gesture. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

interface LanguageModelSession {
  promptStreaming(
    prompts: readonly Prompt[],
    options: { readonly signal: AbortSignal },
  ): ReadableStream<string>
  destroy(): void
}

interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly PromptPart[]
}

type PromptPart =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'image'; readonly value: Blob }

/** The Prompt API. Undefined if the browser or context has none, as in workers and on plain HTTP pages. */
export function findLanguageModel(): LanguageModelFactory | undefined {
  return Reflect.get(globalThis, 'LanguageModel') as LanguageModelFactory | undefined
}
