import type { Extract, Extraction, PageApi } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { JsonSchema, JsonValue } from '../protocol/json.ts'
import type { Message } from '../protocol/message.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { callModel } from './call-model.ts'
import type { Effects } from './effects.ts'
import { providerOf, type Engines } from './engines.ts'
import { extractJson } from './extract-json.ts'
import type { ModelMemory } from './model-memory.ts'
import { modelFetch } from './page-fetch.ts'
import { sharedValidator } from './validation/create-validator.ts'
import { issueWords } from './validation/issue-words.ts'

export interface ExtractDeps {
  readonly page: PageApi
  readonly providers: ProviderRegistry
  readonly engines: Engines
  readonly effects: Effects
  readonly memory: ModelMemory
}

/**
 * Asks the agent's model for data that fits a JSON Schema, outside any conversation. What doesn't
 * parse or fit is told to the model, `retries` times at most; then it throws `invalid-output`.
 */
export async function extractData(deps: ExtractDeps, command: Extract): Promise<Extraction> {
  const corrections = [...command.corrections]
  for (;;) {
    const text = await ask(deps, { ...command, corrections })
    const read = readData(text, command.schema)
    if (read.problem === null) return { value: read.value, text, corrections }
    if (corrections.length >= command.retries) throw invalidOutput(read.problem)
    corrections.push({ output: text, problem: read.problem })
  }
}

function invalidOutput(problem: string): OffstageError {
  return new OffstageError(
    'invalid-output',
    `The model's output does not fit the schema: ${problem}`,
  )
}

function readData(
  text: string,
  schema: JsonSchema,
): { readonly value: JsonValue; readonly problem: string | null } {
  const value = extractJson(text)
  if (value === undefined) return { value: null, problem: 'it holds no JSON.' }
  const issues = sharedValidator().validate(schema, value)
  const problem =
    issues.length === 0 ? null : issues.map((issue) => issueWords(issue, value)).join('; ')
  return { value, problem }
}

async function ask(deps: ExtractDeps, command: Extract): Promise<string> {
  const { page, memory, effects } = deps
  const { agentId } = command
  const given = await page.stepContext({ agentId, runId: '', conversationId: '' })
  const context = { ...given, tools: [] }
  const instructions = [given.instructions, ORDER + JSON.stringify(command.schema)]
    .filter((text) => text !== '')
    .join('\n\n')
  const outcome = await callModel({
    step: 1,
    context,
    request: () => ({ messages: messagesOf(command), tools: [], instructions }),
    provider: providerOf({ ...given, agentId }, deps),
    memory,
    effects,
    signal: new AbortController().signal,
    credentials: (previousRejected, endpoint) =>
      page.credentials({ agentId, configId: given.configId, endpoint, previousRejected }),
    fetch: modelFetch(page, given.model),
    emit: () => undefined,
    isUsedId: () => false,
    attemptFailed: async () => undefined,
    begun: Promise.resolve(),
  })
  switch (outcome.type) {
    case 'turn':
      return outcome.turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    case 'failed':
      throw OffstageError.fromData(outcome.error)
    case 'aborted':
      throw new OffstageError('aborted', 'The extraction was stopped.')
    default:
      return outcome satisfies never
  }
}

const ORDER =
  'Answer with one JSON value and nothing else: no prose, no Markdown. It must validate against this JSON Schema:\n'

function messagesOf({ input, corrections }: Extract): Message[] {
  return [
    { role: 'user', parts: input },
    ...corrections.flatMap(({ output, problem }): Message[] => [
      { role: 'assistant', parts: [{ type: 'text', text: output }] },
      {
        role: 'user',
        synthetic: true,
        parts: [
          { type: 'text', text: `That is not valid: ${problem} Answer again, with the JSON only.` },
        ],
      },
    ]),
  ]
}
