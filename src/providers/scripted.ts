import { sleepUnlessAborted } from '../lib/sleep.ts'
import { formatAction } from '../action/format-action.ts'
import { describeThrown, type ErrorData } from '../protocol/error.ts'
import type { Message, StreamPart } from '../protocol/message.ts'
import type { Script, ScriptStep } from '../protocol/model.ts'
import { asObject } from './core/read-json.ts'
import { withRaw } from './core/raw-parts.ts'
import { abortedError } from './core/provider-error.ts'
import type { ModelRequest, StreamProviderDefinition } from './provider.ts'
import {
  type ShapeCheck,
  isAmount,
  isNumber,
  isText,
  listOf,
  optional,
  shape,
} from '../lib/shape.ts'

const PIECE_LENGTH = 4

/**
 * Plays `config.script` without a model or network. For tests, demos and documentation. The position in the script is
 * the number of answers since the last message of a person, so nothing is stored.
 */
export const scriptedProvider: StreamProviderDefinition = {
  id: 'scripted',
  stream: /* @__PURE__ */ playScript(actionText),
}

/** `textOf` returns the text that a model writes for a step. */
export function playScript(
  textOf: (step: ScriptStep, request: ModelRequest) => string,
): StreamProviderDefinition['stream'] {
  return async function* stream(request, config, { signal }) {
    const script = config.script ?? {}
    const fault = scriptFault(script)
    if (fault) {
      yield [{ type: 'error', error: fault }]
      return
    }
    const position = findPosition(request)
    const step = findStep(script, position)
    if (!step) {
      yield [{ type: 'error', error: exhaustedError(position) }]
      return
    }
    let delayMs = step.delayMs ?? 0
    for (const part of piecesOf(step, script, textOf(step, request))) {
      if (delayMs > 0) await sleepUnlessAborted(delayMs, signal)
      if (signal?.aborted) {
        yield [{ type: 'error', error: abortedError(signal) }]
        return
      }
      yield withRaw(request, part, [part])
      delayMs = script.paceMs ?? 0
    }
    yield withRaw(request, step, endOf(step, position, request))
  }
}

interface ScriptPosition {
  readonly text: string
  readonly userCount: number
  readonly index: number
}

export function findPosition({
  messages,
  answers,
}: Pick<ModelRequest, 'messages' | 'answers'>): ScriptPosition {
  const isPerson = (message: Message): boolean => message.role === 'user' && !message.synthetic
  const last = messages.findLast(isPerson)
  const messagesSince = messages.slice(messages.findLastIndex(isPerson) + 1)
  const texts = last?.role === 'user' ? last.parts : []
  return {
    text: texts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    userCount: messages.filter(isPerson).length,
    index: answers ?? messagesSince.filter((message) => message.role === 'assistant').length,
  }
}

export function findStep<Step>(
  script: Script<Step>,
  { text, index }: ScriptPosition,
): Step | undefined {
  const lowered = text.toLowerCase()
  const scene = script.scenes?.find(({ match }) =>
    match.some((phrase) => lowered.includes(phrase.toLowerCase())),
  )
  return (scene?.steps ?? script.steps ?? script.fallback)?.[index]
}

/** Returns the deltas of a step. */
function piecesOf(step: ScriptStep, script: Script, text: string): StreamPart[] {
  return [
    ...cutText(step.reasoning ?? '', script).map((delta) => ({
      type: 'reasoning-delta' as const,
      delta,
    })),
    ...cutText(text, script).map((delta) => ({ type: 'text-delta' as const, delta })),
  ]
}

/** In ACTION mode, the text has the calls as ACTION blocks. */
function actionText({ text = '', toolCalls = [] }: ScriptStep, request: ModelRequest): string {
  if (toolCalls.length === 0 || request.toolMode !== 'action') return text
  const calls = toolCalls.map(({ toolName, input }) => ({
    toolName,
    input: asObject(input),
  }))
  return [text, formatAction(calls, request.tools)].filter((piece) => piece !== '').join('\n')
}

/** Cuts by characters, not code units, so no piece splits an emoji. */
export function cutText(text: string, { pieceLength = PIECE_LENGTH }: Script): string[] {
  const length = Math.max(1, pieceLength)
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += length) {
    pieces.push(characters.slice(at, at + length).join(''))
  }
  return pieces
}

function endOf(
  step: ScriptStep,
  position: ScriptPosition,
  request: ModelRequest,
): readonly StreamPart[] {
  if (step.error !== undefined) {
    const message = describeThrown(step.error)
    return [{ type: 'error', error: { code: 'provider-error', message, retryable: false } }]
  }
  const calls = request.toolMode === 'action' ? [] : callParts(step, position)
  return [...calls, { type: 'finish', finishReason: calls.length > 0 ? 'tool-calls' : 'stop' }]
}

/** Returns the parts of a step's calls. Ids depend only on the position, so a replay has the same ones. */
function callParts({ toolCalls = [] }: ScriptStep, position: ScriptPosition): StreamPart[] {
  const calls = toolCalls.map(({ toolName, input }, index) => ({
    type: 'tool-call' as const,
    toolCallId: `call_${position.userCount}_${position.index}_${index + 1}`,
    toolName,
    input,
  }))
  const inputs = calls.flatMap(({ toolCallId, toolName, input }): StreamPart[] => [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, delta: JSON.stringify(input) },
  ])
  return [...inputs, ...calls]
}

function exhaustedError({ text, index }: ScriptPosition): ErrorData {
  return {
    code: 'script-exhausted',
    message: `The script has no step ${index + 1} for "${text.slice(0, 80)}". Add a step, a scene or a fallback.`,
    retryable: false,
    details: { position: index },
  }
}

const isStep = shape({
  text: optional(isText),
  reasoning: optional(isText),
  toolCalls: optional(listOf(shape({ toolName: isText }))),
  error: optional(isText),
  delayMs: optional(isAmount),
})
const isSteps = listOf(isStep)

const FIELDS: Readonly<Record<keyof Script, readonly [ShapeCheck, string]>> = {
  steps: [optional(isSteps), 'a list of steps'],
  scenes: [
    optional(listOf(shape({ match: listOf(isText), steps: isSteps }))),
    'a list of { match, steps }, which are lists',
  ],
  fallback: [optional(isSteps), 'a list of steps'],
  paceMs: [optional(isAmount), 'a number of milliseconds'],
  pieceLength: [optional(isNumber), 'a number of characters'],
}

/** Returns the error of an invalid script, or null. Page code may pass any value. */
export function scriptFault(script: Script): ErrorData | null {
  for (const [name, [check, expected]] of Object.entries(FIELDS))
    if (!check(script[name as keyof Script]))
      return {
        code: 'invalid-config',
        message: `${name} of a script must be ${expected}.`,
        retryable: false,
      }
  return null
}
