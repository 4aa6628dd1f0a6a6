import { messageText } from '../../conversation/result.ts'
import { loneThinkCloser } from '../../action/action-scanner.ts'
import type { ActionScanner } from '../../action/action-scanner.ts'
import type { ThinkSplitter } from '../../action/think-splitter.ts'
import { isJson } from '../../lib/json/is-json.ts'
import type { ErrorData } from '../../protocol/error.ts'
import type { AttemptRef, DeltaOf } from '../../protocol/delta.ts'
import { countedUsage } from '../../conversation/usage.ts'
import type {
  AssistantMessage,
  CallError,
  CallErrorCode,
  FinishReason,
  ProviderMetadata,
  ReasoningPart,
  StreamPart,
  TextPart,
  ToolCallPart,
  Usage,
} from '../../protocol/message.ts'
import type { TurnCaps } from '../../protocol/model.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { WaitingScanner } from '../../providers/text-calls.ts'
import {
  STRAY_CLOSER,
  STRAY_CLOSER_CODE,
  UNOPENED_REASONING,
  UNOPENED_REASONING_CODE,
} from '../../providers/unopened-reasoning.ts'
import { actionPart, loadedActionPart } from '../parts.ts'

const DEFAULTS: Required<TurnCaps> = {
  calls: 64,
  text: 1_000_000,
  reasoning: 1_000_000,
  arguments: 1_000_000,
  metadata: 32_000_000,
  files: 32_000_000,
}

/** Counts the size of a model turn, so that an endless turn can't fill the RAM. */
class TurnMeter {
  readonly #caps: Required<TurnCaps>
  readonly #countsRaw: boolean
  readonly #used = { calls: 0, text: 0, reasoning: 0, arguments: 0, metadata: 0, files: 0 }
  /** Calls that began to stream, with the number of argument characters so far. */
  readonly #streamed = new Map<string, number>()
  /** Calls whose arguments began to stream before their name. */
  readonly #nameless = new Set<string>()

  /** `raw`: whether the provider's data also arrives piece by piece as `raw` parts. */
  constructor(caps: TurnCaps = {}, raw = false) {
    this.#countsRaw = !raw
    const validCaps = Object.entries(caps).filter(([, cap]) => Number.isFinite(cap))
    this.#caps = { ...DEFAULTS, ...Object.fromEntries(validCaps) }
  }

  /** Counts one more part. Returns an error if the turn exceeds a cap. */
  count(part: StreamPart): ErrorData | null {
    switch (part.type) {
      case 'text-delta':
        return this.#addUse('text', part.delta.length)
      case 'reasoning-delta':
        return this.#addUse('reasoning', part.delta.length)
      case 'tool-input-start':
        this.#streamed.set(part.toolCallId, 0)
        return this.#addUse('calls', this.#nameless.delete(part.toolCallId) ? 0 : 1)
      case 'tool-input-delta':
        return (
          this.#countNameless(part.toolCallId) ??
          this.#addArguments(part.toolCallId, part.delta.length)
        )
      case 'tool-call': {
        const streamed = this.#streamed.get(part.toolCallId)
        this.#streamed.delete(part.toolCallId)
        const length = part.error
          ? (part.rawInput?.length ?? 0)
          : JSON.stringify(part.input ?? null).length
        return (
          this.#addUse('calls', streamed === undefined ? 1 : 0) ??
          this.#addUse('arguments', Math.max(0, length - (streamed ?? 0)))
        )
      }
      case 'file':
        return this.#addUse('files', part.file.data.length)
      case 'raw':
        // Raw parts for logs repeat the whole stream, and aren't kept, so they don't count.
        return this.#countsRaw
          ? this.#addUse('metadata', JSON.stringify(part.data)?.length ?? 0)
          : null
      default:
        return null
    }
  }

  #countNameless(toolCallId: string): ErrorData | null {
    if (this.#streamed.has(toolCallId)) return null
    this.#nameless.add(toolCallId)
    return this.#addUse('calls', 1)
  }

  #addArguments(toolCallId: string, length: number): ErrorData | null {
    this.#streamed.set(toolCallId, (this.#streamed.get(toolCallId) ?? 0) + length)
    return this.#addUse('arguments', length)
  }

  #addUse(kind: keyof TurnCaps, amount: number): ErrorData | null {
    this.#used[kind] += amount
    const cap = this.#caps[kind]
    if (this.#used[kind] <= cap) return null
    const unit = kind === 'calls' ? 'calls' : `characters of ${kind}`
    return {
      code: 'response-too-large',
      message: `The model's turn has more than ${cap} ${unit}; nothing of it ran. Ask for less at once, or raise caps.${kind} of the model.`,
      retryable: false,
      details: { cap: kind, limit: cap },
    }
  }
}

type Part = AssistantMessage['parts'][number]

/** Warnings, from the provider or the scanner, that the text before them was reasoning. */
const LATE_REASONING: ReadonlySet<string> = new Set([UNOPENED_REASONING_CODE, loneThinkCloser])

/** Marks the call as refused, with the reason. */
function refuseCall(
  call: ToolCallPart,
  message: string,
  code: CallErrorCode = 'unknown_tool',
): ToolCallPart {
  const error = { code, message }
  if (call.error) return { ...call, error }
  const { input, ...rest } = call
  return { ...rest, error, rawInput: JSON.stringify(input) }
}

const NOT_ASKED = 'No tool may be called now; it was not run. Answer in words.'
const ONE_CALL = 'Only one call may be made at a time; it was not run.'
const FILTERED = 'The answer was refused; it was not run.'
const TOO_DEEP = 'The input is nested too deeply, or is too large; it was not run.'

/** A model's whole answer, proven complete. */
export interface ModelTurn {
  readonly parts: readonly Part[]
  readonly usage: Usage
  readonly finishReason: FinishReason
  readonly rawFinishReason?: string
  readonly providerMetadata?: ProviderMetadata
  readonly actionText?: string
  readonly feedback?: CallError
}

function isLateReasoning(part: StreamPart): boolean {
  return part.type === 'warning' && LATE_REASONING.has(part.code)
}

type TurnDeltaType =
  | 'text-start'
  | 'text-delta'
  | 'text-end'
  | 'reasoning-start'
  | 'reasoning-delta'
  | 'reasoning-end'
  | 'tool-input-start'
  | 'tool-input-delta'
  | 'tool-input-end'
  | 'step-reset'
  | 'warning'
  | 'raw'

type WithoutRef<Value> = Value extends AttemptRef ? Omit<Value, keyof AttemptRef> : never

/** A delta that a turn publishes while it is read, without its run, step and attempt. */
export type TurnDelta = WithoutRef<DeltaOf<TurnDeltaType>>

export interface TurnReaderOptions {
  readonly toolMode: 'native' | 'action'
  readonly tools: readonly ToolDefinition[]
  /** Whether to read calls in text. Default true. */
  readonly textCalls?: boolean
  /** Whether a call in text counts only with its start and end delimiters. */
  readonly delimitedOnly?: boolean
  /** Whether to refuse all calls (`toolChoice: 'none'`), even if the server lets the model make them. */
  readonly refusesCalls?: boolean
  /** Whether only the first call may run. */
  readonly singleCall?: boolean
  readonly caps?: TurnCaps | undefined
  /** Makes part ids unique within the run. */
  readonly partPrefix: string
  readonly emit: (delta: TurnDelta) => void
  /** Whether to publish `raw` deltas. */
  readonly raw: boolean
  readonly newId: (prefix: string) => string
  /** Whether the conversation already has a call with this id. */
  readonly isUsedId: (toolCallId: string) => boolean
}

/**
 * Reads one attempt of a model call: publishes every delta at once, and collects the message. Providers pass the
 * model's text on unchanged. The ACTION scanner reads the text; in native mode, to rescue calls written as text. If no
 * calls are expected in the text, the think splitter reads it.
 */
export class TurnReader {
  readonly #options: TurnReaderOptions
  readonly #scanner: Pick<ActionScanner, 'push' | 'end'> &
    Partial<Pick<ActionScanner, 'reset' | 'output'>> &
    Partial<Pick<WaitingScanner, 'needsScanner'>>
  readonly #parts: Part[] = []
  readonly #internalIds = new Map<string, string>()
  readonly #openInputs = new Set<string>()
  readonly #meter: TurnMeter
  #openPart: { readonly type: 'text' | 'reasoning'; readonly partId: string; text: string } | null =
    null
  #partCount = 0
  /** Index from which parts may hold text. Earlier text has turned out to be reasoning. */
  #textStart = 0
  /** Whether the provider sends reasoning in its own field. If so, a closing think tag in the text closes nothing. */
  #hasReasoningField = false
  #usage: Usage = {}
  #feedback: CallError | undefined
  #finish: Extract<StreamPart, { type: 'finish' }> | null = null
  #error: ErrorData | null = null

  constructor(options: TurnReaderOptions) {
    this.#options = options
    this.#meter = new TurnMeter(options.caps, options.raw)
    const { toolMode, tools, textCalls = true, delimitedOnly = false } = options
    const rescue = toolMode === 'native'
    const createSplitter = (): ThinkSplitter =>
      actionPart().createThinkSplitter({ loneCloser: () => UNOPENED_REASONING })
    const createScanner = (): ActionScanner =>
      actionPart().createActionScanner(tools, {
        newId: () => options.newId('call_'),
        rescue,
        delimitedOnly,
      })
    const names = textCalls && (!rescue || tools.length > 0) ? tools.map(({ name }) => name) : null
    const create = names ? createScanner : createSplitter
    this.#scanner = !rescue || loadedActionPart() ? create() : new WaitingScanner(names, create)
  }

  /** Whether the scanner must be loaded before this part is read. */
  needsScanner(part: StreamPart): boolean {
    return part.type === 'text-delta' && this.#scanner.needsScanner?.(part.delta) === true
  }

  get error(): ErrorData | null {
    return this.#error
  }

  get usage(): Usage {
    return this.#usage
  }

  /** Whether any part of this attempt was shown. */
  get isVisible(): boolean {
    return this.#partCount > 0 || this.#internalIds.size > 0
  }

  /** The reply text so far. */
  get text(): string {
    return messageText({ parts: this.received.slice(this.#textStart) })
  }

  /** The text and reasoning so far. */
  get partial(): readonly (TextPart | ReasoningPart)[] {
    return this.received.flatMap((part) =>
      part.type === 'text' || part.type === 'reasoning' ? { type: part.type, text: part.text } : [],
    )
  }

  /** The parts so far, including the open one. */
  get received(): readonly Part[] {
    return this.#openPart ? [...this.#parts, this.#openPart] : this.#parts
  }

  read(part: StreamPart): void {
    if (this.#exceedsCaps(part)) return
    this.#hasReasoningField ||= part.type === 'reasoning-delta'
    if (part.type === 'text-delta') {
      for (const scanned of this.#scanner.push(part.delta)) this.#readScanned(scanned)
    } else {
      if (isLateReasoning(part) || (part.type === 'warning' && part.code === STRAY_CLOSER_CODE))
        for (const heldPart of this.#scanner.reset?.() ?? []) this.#readScanned(heldPart)
      this.#readPart(part)
    }
  }

  /** Returns the turn, or null if the stream isn't proven complete. */
  end(): ModelTurn | null {
    const finish = this.#finish
    if (finish === null || this.#error !== null) return null
    const lastParts = this.#scanner.end({ finishReason: finish.finishReason })
    for (const part of lastParts) this.#readScanned(part)
    if (this.#error !== null) return null
    this.#closeOpen()
    const hasCalls = this.#parts.some((part) => part.type === 'tool-call')
    const isFiltered = finish.finishReason === 'content-filter'
    const actionText = this.#options.toolMode === 'action' ? this.#scanner.output : undefined
    if (actionText !== undefined && this.#options.raw) {
      this.#options.emit({ type: 'raw', data: { text: actionText } })
    }
    return {
      parts: isFiltered
        ? this.#parts.map((part) => (part.type === 'tool-call' ? refuseCall(part, FILTERED) : part))
        : this.#parts,
      usage: this.#usage,
      finishReason: hasCalls && finish.finishReason === 'stop' ? 'tool-calls' : finish.finishReason,
      ...(finish.rawFinishReason !== undefined && { rawFinishReason: finish.rawFinishReason }),
      ...(finish.providerMetadata && { providerMetadata: finish.providerMetadata }),
      ...(actionText !== undefined && { actionText }),
      ...(this.#feedback && { feedback: this.#feedback }),
    }
  }

  /** Counts the part. True if the turn is too large or has failed, so that the part is ignored. */
  #exceedsCaps(part: StreamPart): boolean {
    this.#error ??= this.#meter.count(part)
    return this.#error !== null
  }

  #readScanned(part: StreamPart): void {
    if (this.#hasReasoningField && isLateReasoning(part)) return this.#readPart(STRAY_CLOSER)
    if (part.type !== 'tool-call') return this.#readPart(part)
    const rescued = this.#options.toolMode === 'native'
    if (!this.#exceedsCaps(part)) this.#readPart(rescued ? { ...part, rescued } : part)
  }

  #checkCall(call: ToolCallPart): ToolCallPart {
    const { refusesCalls, singleCall } = this.#options
    if (refusesCalls) return refuseCall(call, NOT_ASKED)
    if (singleCall && this.#parts.some(({ type }) => type === 'tool-call'))
      return refuseCall(call, ONE_CALL, 'denied')
    // No store accepts a value that is nested too deeply or too large.
    return call.input === undefined || isJson(call.input)
      ? call
      : refuseCall(call, TOO_DEEP, 'invalid_params')
  }

  #readPart(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        return this.#emitDelta('text', part.delta)
      case 'reasoning-delta':
        return this.#emitDelta('reasoning', part.delta)
      case 'tool-input-start':
        return this.#startInput(part.toolCallId, part.toolName)
      case 'tool-input-delta':
        if (part.delta === '') return
        return this.#options.emit({
          type: 'tool-input-delta',
          toolCallId: this.#internalId(part.toolCallId),
          delta: part.delta,
        })
      case 'tool-call':
        return this.#addCall(this.#checkCall(part))
      case 'file':
        this.#closeOpen()
        this.#parts.push(part.file)
        return
      case 'action-error':
        this.#feedback ??= part.error
        return
      case 'usage':
        // Usage comes piecemeal: later counts replace earlier ones.
        this.#usage = { ...this.#usage, ...countedUsage(part.usage) }
        return
      case 'warning':
        if (isLateReasoning(part)) this.#convertTextToReasoning(part.message)
        else if (part.code === STRAY_CLOSER_CODE) this.#forgetTextCalls()
        return this.#options.emit(part)
      case 'raw':
        if (this.#options.raw) this.#options.emit(part)
        return
      case 'finish':
        this.#finish = part
        return
      case 'error':
        this.#error = part.error
        return
      default:
        part satisfies never
    }
  }

  #emitDelta(type: 'text' | 'reasoning', delta: string): void {
    if (delta === '') return
    if (this.#openPart?.type !== type) {
      this.#closeOpen()
      this.#partCount += 1
      this.#openPart = { type, partId: `${this.#options.partPrefix}${this.#partCount}`, text: '' }
      this.#options.emit({ type: `${type}-start`, partId: this.#openPart.partId })
    }
    this.#openPart.text += delta
    this.#options.emit({ type: `${type}-delta`, partId: this.#openPart.partId, delta })
  }

  #closeOpen(): void {
    if (this.#openPart === null) return
    const { type, partId, text } = this.#openPart
    this.#parts.push({ type, text })
    this.#openPart = null
    this.#options.emit({ type: `${type}-end`, partId })
  }

  /** Drops calls read from text that turned out to be reasoning. ACTION mode only. */
  #forgetTextCalls(): void {
    if (this.#options.toolMode !== 'action') return
    this.#feedback = undefined
    const parts = this.#parts.splice(this.#textStart)
    this.#parts.push(...parts.filter(({ type }) => type !== 'tool-call'))
  }

  /** Withdraws the shown text and emits it again as reasoning. */
  #convertTextToReasoning(message: string): void {
    this.#forgetTextCalls()
    const { text } = this
    if (text === '') return
    if (this.#openPart?.type === 'reasoning') this.#closeOpen()
    this.#openPart = null
    const parts = this.#parts.splice(this.#textStart)
    this.#parts.push(...parts.filter(({ type }) => type !== 'text'))
    this.#textStart = this.#parts.length
    const reason = { code: 'provider-error', message, retryable: false } as const
    this.#options.emit({ type: 'step-reset', reason })
    this.#emitDelta('reasoning', text)
    this.#closeOpen()
  }

  #startInput(providerId: string, toolName: string): void {
    this.#closeOpen()
    const toolCallId = this.#internalId(providerId)
    this.#openInputs.add(toolCallId)
    this.#options.emit({ type: 'tool-input-start', toolCallId, toolName })
  }

  #addCall(part: ToolCallPart): void {
    this.#closeOpen()
    const toolCallId = this.#internalId(part.toolCallId)
    if (this.#openInputs.delete(toolCallId)) {
      this.#options.emit({ type: 'tool-input-end', toolCallId })
    }
    // A later call with the same provider id gets an id of its own.
    this.#internalIds.delete(part.toolCallId)
    const providerCallId =
      part.providerCallId ?? (toolCallId === part.toolCallId ? '' : part.toolCallId)
    const { toolName, rescued } = part
    const ref = { type: 'tool-call', toolCallId, toolName, ...(rescued && { rescued }) } as const
    this.#parts.push({
      ...ref,
      ...(providerCallId !== '' && { providerCallId }),
      ...(part.error
        ? { error: part.error, ...(part.rawInput !== undefined && { rawInput: part.rawInput }) }
        : // Some models omit the input of a call without arguments.
          { input: part.input ?? {} }),
    })
  }

  /** The provider's id, or a new one if the id is empty or already used in the conversation. */
  #internalId(providerId: string): string {
    const existing = this.#internalIds.get(providerId)
    if (existing !== undefined) return existing
    const isTaken =
      this.#options.isUsedId(providerId) ||
      this.#parts.some((part) => part.type === 'tool-call' && part.toolCallId === providerId)
    const id = isTaken || providerId === '' ? this.#options.newId('call_') : providerId
    this.#internalIds.set(providerId, id)
    return id
  }
}
