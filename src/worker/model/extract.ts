import { syntheticMessage } from './compaction.ts'
import { messageText } from '../../conversation/result.ts'
import type { Extraction, ExtractRef, ExtractRequest } from '../../protocol/worker-calls.ts'
import type { WorkerNotice } from '../../protocol/notices.ts'
import type { PageApi, StepContext } from '../../protocol/page-calls.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Message, RunUsage } from '../../protocol/message.ts'
import { abortedError } from '../../providers/core/provider-error.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import { callModel, type ModelOutcome } from './call-model.ts'
import type { Effects } from '../effects.ts'
import { type Engines, providerOf } from './engine-providers.ts'
import { meterUsage } from './token-counts.ts'
import type { ModelMemory } from './model-memory.ts'
import { modelFetch } from './page-fetch.ts'
import { stoppablePage } from '../stopping.ts'
import { addUsage } from '../../conversation/usage.ts'
import { issueWords, watchedValidator } from '../validation/check-input.ts'
import type { Validator } from '../validation/validator.ts'

/**
 * Finds the JSON value in a model's answer: the whole text, a fenced block, or the first balanced object or array in
 * prose that parses. Undefined if there is none.
 */
export function extractJson(text: string): JsonValue | undefined {
  const whole = parse(text)
  if (whole !== undefined) return whole
  for (const [, body = ''] of text.matchAll(FENCED)) {
    const value = parse(body)
    if (value !== undefined) return value
  }
  return firstBalanced(text)
}

const FENCED = /^[ \t]*```[^\n`]*\n([\s\S]*?)^[ \t]*```/gm

function parse(text: string): JsonValue | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  try {
    return JSON.parse(trimmed) as JsonValue
  } catch {
    return undefined
  }
}

/** Scans once: if a balanced bracket doesn't parse, the scan continues after its end, not inside. */
function firstBalanced(text: string): JsonValue | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue
    const end = balancedEnd(text, at)
    if (end === -1) return undefined
    const value = parse(text.slice(at, end))
    if (value !== undefined) return value
    at = end - 1
  }
  return undefined
}

/** Index after the bracket that closes the bracket at `start`. -1 if none does. */
function balancedEnd(text: string, start: number): number {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at += 1
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

export interface ExtractDeps {
  readonly page: PageApi
  readonly providers: ProviderRegistry
  readonly engines: Engines
  readonly effects: Effects
  readonly memory: ModelMemory
  readonly validator: Validator
  readonly notify: (notice: WorkerNotice) => void
}

/** The running extractions. Each is one model call outside any conversation. */
export class Extractions {
  readonly #deps: ExtractDeps
  readonly #running = new Map<
    string,
    { readonly agentId: string; readonly stop: AbortController }
  >()

  constructor(deps: ExtractDeps) {
    this.#deps = deps
  }

  /** Asks the agent's model for data that fits a JSON Schema, and checks its answer. */
  async extract(command: ExtractRequest): Promise<Extraction> {
    const stop = new AbortController()
    this.#running.set(command.extractId, { agentId: command.agentId, stop })
    try {
      return await extractData(this.#deps, command, stop.signal)
    } finally {
      this.#running.delete(command.extractId)
    }
  }

  stopExtracting({ extractId }: ExtractRef): void {
    this.#running.get(extractId)?.stop.abort()
  }

  release(agent: string): void {
    for (const { agentId, stop } of this.#running.values()) if (agentId === agent) stop.abort()
  }
}

function readData(
  { notify, validator: baseValidator }: ExtractDeps,
  text: string,
  { schema, agentId, extractId }: ExtractRequest,
): { readonly value: JsonValue; readonly problem: string | null } {
  const value = extractJson(text)
  if (value === undefined) return { value: null, problem: 'it holds no JSON.' }
  const validator = watchedValidator(baseValidator, (risk) =>
    notify({ type: 'risk', agentId, runId: '', extractId, risk }),
  )
  const issues = validator.validate(schema, value, 'extract()')
  const problem =
    issues.length === 0 ? null : issues.map((issue) => issueWords(issue, value)).join('; ')
  return { value, problem }
}

async function extractData(
  deps: ExtractDeps,
  command: ExtractRequest,
  signal: AbortSignal,
): Promise<Extraction> {
  const { agentId, schema } = command
  const ask = (stepContext: StepContext): ModelQuestion => ({
    model: stepContext.model,
    request: {
      messages: messagesOf(command),
      instructions: [stepContext.instructions, FORMAT_ORDER + JSON.stringify(schema)]
        .filter((text) => text !== '')
        .join('\n\n'),
    },
  })
  const { outcome, usage } = await askOnce(deps, { agentId, ask }, signal)
  switch (outcome.type) {
    case 'turn': {
      const text = messageText(outcome.turn)
      return { usage, text, ...readData(deps, text, command) }
    }
    case 'failed':
      return { usage, error: outcome.error }
    case 'aborted':
      return { usage, error: abortedError(signal) }
    default:
      return outcome satisfies never
  }
}

export interface ModelQuestion {
  readonly model: StepContext['model']
  readonly request: Pick<ModelRequest, 'messages' | 'instructions'>
}

interface AskOptions {
  readonly agentId: string
  readonly titles?: true
  readonly ask: (stepContext: StepContext) => ModelQuestion
}

/** Asks a model without tools, outside of any conversation. `usage` includes failed attempts. */
export async function askOnce(
  deps: Omit<ExtractDeps, 'notify' | 'validator'>,
  { agentId, ask, ...query }: AskOptions,
  signal: AbortSignal,
): Promise<{ readonly outcome: ModelOutcome; readonly usage: RunUsage }> {
  const { memory, effects } = deps
  const page = stoppablePage(deps.page, signal)
  const ref = { agentId, runId: '', conversationId: '' }
  const stepContext = await page.stepContext({ ...ref, toolless: true, ...query })
  const { model, request: question } = ask(stepContext)
  const request = (): ModelRequest => ({ ...question, tools: [], textAsWritten: true })
  let usage: RunUsage = { modelCalls: 0 }
  const outcome = await callModel({
    step: 1,
    stepContext: { ...stepContext, model },
    request,
    provider: providerOf({ ...stepContext, agentId }, deps),
    memory,
    effects,
    signal,
    credentials: (previousRejected, endpoint) =>
      page.credentials({ agentId, configId: stepContext.configId, endpoint, previousRejected }),
    fetch: modelFetch(page, model),
    emit: () => undefined,
    isUsedId: () => false,
    messageId: '',
    meter: (result) => meterUsage(result, { model, limits: {}, request }),
    attemptFailed: async (failed) => {
      usage = addUsage(usage, failed.usage)
    },
  })
  return { outcome, usage: outcome.type === 'turn' ? addUsage(usage, outcome.turn.usage) : usage }
}

const FORMAT_ORDER =
  'Answer with one JSON value and nothing else: no prose, no Markdown. It must validate against this JSON Schema:\n'

function messagesOf({ input, corrections }: ExtractRequest): Message[] {
  return [
    { role: 'user', parts: input },
    ...corrections.flatMap(({ output, problem }): Message[] => [
      { role: 'assistant', parts: [{ type: 'text', text: output }] },
      syntheticMessage(`That is not valid: ${problem} Answer again, with the JSON only.`),
    ]),
  ]
}
