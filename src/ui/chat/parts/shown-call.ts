import { isUnfinished, showInput, visibleText } from '../../../conversation/index.ts'
import { visibleLines } from './failures.ts'
import type { ConversationSnapshot, JsonValue, ShownCall, ToolOutput } from '../../../index.ts'
import type { Words } from '../words/words.ts'
import { hasText, isObject } from './input-fields.ts'

export interface CallState {
  /** Decides the icon and style. */
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly word: keyof Words['states']
}

export interface CallStateEntry extends CallState {
  /**
   * When to announce the call. `later`: after `LONG_MS`. Missing: never, because the model's answer mentions most
   * results.
   */
  readonly announced?: 'at-once' | 'later'
}

/** Milliseconds after which a running call is announced. */
export const LONG_MS = 3000

const RUNNING: CallStateEntry = { kind: 'working', word: 'running' }
const WAITING: CallStateEntry = { kind: 'waiting', word: 'waiting' }

/** The words for a call in each status. A waiting call has its buttons on its card. */
export const CALL_STATES: Readonly<Record<ShownCall['status'], CallStateEntry>> = {
  proposed: RUNNING,
  approved: RUNNING,
  executing: { ...RUNNING, announced: 'later' },
  suspended: RUNNING,
  'awaiting-approval': WAITING,
  'awaiting-answer': WAITING,
  'awaiting-output': WAITING,
  'awaiting-decision': WAITING,
  succeeded: { kind: 'done', word: 'done' },
  denied: { kind: 'problem', word: 'denied', announced: 'at-once' },
  failed: { kind: 'problem', word: 'failed', announced: 'at-once' },
  aborted: { kind: 'problem', word: 'stopped' },
  interrupted: { kind: 'problem', word: 'interrupted', announced: 'at-once' },
  invalid: { kind: 'problem', word: 'refused', announced: 'at-once' },
}

/** Returns a call's state for people. A call whose result says that nothing was done doesn't count as done. */
export function stateOf(call: ShownCall): CallState {
  const { status, input, error } = call
  if (resultOf(call)?.isDone === false) return { kind: 'problem', word: 'notDone' }
  return status === 'proposed' && input === undefined && !error
    ? { kind: 'working', word: 'writing' }
    : CALL_STATES[status]
}

/** Line about a call's result. */
export interface CallResult {
  /** Empty if it has no words for people. */
  readonly text: string
  readonly isDone: boolean
}

/** Report of a page tool that didn't send a form. */
const NOT_SENT = /^The form (?:was|is) not sent.*/m
/** Keys under which results describe themselves. */
const REMARKS = ['error', 'message', 'reason', 'status']

/**
 * Returns a line about the result of a successful call. Null if the result describes nothing, and for calls that only
 * read.
 */
export function resultOf({ status, output, readOnly }: ShownCall): CallResult | null {
  if (status !== 'succeeded' || readOnly || !output) return null
  if (output.type === 'json' && isObject(output.value)) {
    const { value } = output
    const remark = REMARKS.map((key) => value[key]).find(hasText)
    // Any false value next to a reason is a refusal: `{ sent: false, reason }`. Without a reason, false may be data.
    const isRefused = hasText(value['reason'])
      ? Object.values(value).includes(false)
      : value['ok'] === false || value['success'] === false
    const isDone = !isRefused && !hasText(value['error'])
    return isDone && !remark ? null : { text: firstLine(remark ?? ''), isDone }
  }
  const text = textIn(output).slice(0, MOST_READ)
  const notSent = NOT_SENT.exec(text)
  if (notSent) return { text: firstLine(notSent[0]), isDone: false }
  // Skips data and markup, which aren't text for people.
  return /^\s*(?:[[{<]|$)/.test(text) ? null : { text: firstLine(text), isDone: true }
}

/** Characters of a result that are read: rows are drawn often. */
const MOST_READ = 4000

function textIn(output: ToolOutput): string {
  const [part] = output.type === 'content' ? output.value : [output]
  const value = part && 'value' in part ? part.value : part && 'text' in part ? part.text : ''
  return typeof value === 'string' ? value : ''
}

/** Keys of inputs, most descriptive first. The last pattern also matches the end of longer keys, such as `orderId`. */
const DISTINCTIVE = [/^title$/i, /name$/i, /^(?:label|subject|query)$/i, /(?:sku|code|number|id)$/i]

/** Keys of sensitive values, which a folded row never shows. */
const PRIVATE = /pass|secret|token|card|iban|cvc|cvv|^pin/i

/** Returns the value of an input that tells calls of one tool apart. Empty if there is none. */
export function distinctiveValue({ input }: Pick<ShownCall, 'input'>): string {
  const fields = isObject(input)
    ? Object.entries(input).filter(([key, value]) => isShort(value) && !PRIVATE.test(key))
    : []
  const [, value = ''] =
    DISTINCTIVE.map((keys) => fields.find(([key]) => keys.test(key))).find(Boolean) ??
    fields[0] ??
    []
  return firstLine(String(value), LONGEST_VALUE)
}

function isShort(value: JsonValue): boolean {
  return hasText(value) || typeof value === 'number'
}

/**
 * Maximum characters of a result's line. Values are shorter, because screen readers also read them as part of the row's
 * name.
 */
const LONGEST = 160
const LONGEST_VALUE = 60

function firstLine(text: string, longest = LONGEST): string {
  const [line = ''] = text.trim().split('\n', 1)
  return visibleText(line.length > longest ? `${line.slice(0, longest)}…` : line)
}

/**
 * Whether this page stopped following an unfinished run, for example because its agent was disposed. Calls can't be
 * answered then.
 */
export function isRunDetached({ ended }: Pick<ConversationSnapshot, 'ended'>): boolean {
  return ended !== undefined && isUnfinished(ended)
}

/** Like `stateOf`, but `leftOpen` for an unfinished call that this page no longer follows. */
export function stateIn(snapshot: Pick<ConversationSnapshot, 'ended'>, call: ShownCall): CallState {
  const state = stateOf(call)
  const isOpen = state.kind === 'waiting' || state.kind === 'working'
  return isOpen && isRunDetached(snapshot) ? { kind: 'problem', word: 'leftOpen' } : state
}

/** Progress that a tool reported, in a form that can be shown. */
export interface Progress {
  /** Between 0 and 1. */
  readonly ratio?: number
  readonly text?: string
}

/**
 * Reads the argument of a tool's `progress` call: a text, a number between 0 and 1, or an object with `progress`,
 * `total` and `message`, as in MCP.
 */
export function progressOf(progress: unknown): Progress {
  if (typeof progress === 'string') return { text: progress }
  if (typeof progress === 'number') return ratioOf(progress, 1)
  if (typeof progress !== 'object' || progress === null) return {}
  const { progress: done, total, message } = progress as Record<string, unknown>
  return {
    ...(typeof done === 'number' && ratioOf(done, typeof total === 'number' ? total : 1)),
    ...(typeof message === 'string' && { text: message }),
  }
}

function ratioOf(done: number, total: number): Progress {
  const ratio = done / total
  return ratio >= 0 && ratio <= 1 ? { ratio } : {}
}

/** Returns a call's output as text for people, with invisible characters made visible. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return visibleLines(output.value)
    case 'json':
      return showInput(output.value)
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? visibleLines(part.text) : `[${part.mediaType}]`))
        .join('\n')
    case 'error':
      return visibleLines(output.message)
    case 'denied':
      return visibleText(output.reason ?? '')
  }
}
