import { createActionScanner, parseAction } from '../../action/index.ts'
import { meantName } from '../../action/meant-name.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { asRecord } from '../core/read-json.ts'
import type { CollectedTurn } from '../collect.ts'
import { dialectOf, type Dialect } from './dialects.ts'
import { probeTool, type ProbeResult } from './probe-model.ts'

/** What became of the call that a model was asked for. */
export type Verdict =
  /** The server delivered a call that can be run. */
  | { readonly type: 'native' }
  /** A call that can't be run, and why. */
  | { readonly type: 'invalid'; readonly reason: string }
  /** The call is in the text. `isRead`: it is whole, in a format that can be read. */
  | { readonly type: 'text'; readonly isRead: boolean; readonly dialect?: Dialect }
  /** Neither a call nor the end of the answer. */
  | { readonly type: 'cut' }
  | { readonly type: 'none'; readonly instead: Instead }

/** What came in the place of a call. `filtered`: also a refusal of the vendor's own. */
export type Instead = 'words' | 'nothing' | 'thoughts' | 'filtered' | 'pause'

const MAX_SHOWN = 200

/** Judges the answer to a request with native tools. */
export function judgeNative({ turn, isLate }: ProbeResult): Verdict {
  const isCut = isLate || turn.finishReason === 'length'
  const [call] = turn.toolCalls
  if (call) {
    if (call.input !== undefined) return judgeInput(call.toolName, call.input)
    return isCut ? { type: 'cut' } : { type: 'invalid', reason: call.error.message }
  }
  const inText = judgeText(turn)
  if (inText) return inText
  return isCut ? { type: 'cut' } : { type: 'none', instead: insteadOf(turn) }
}

function insteadOf({ text, reasoning, finishReason }: CollectedTurn): Instead {
  if (finishReason === 'content-filter') return 'filtered'
  if (finishReason === 'pause') return 'pause'
  if (text.trim() !== '') return 'words'
  return reasoning.trim() === '' ? 'nothing' : 'thoughts'
}

/** Whether the answer to a request in ACTION mode has the call. */
export function isActionCall({ turn }: ProbeResult): boolean {
  const { text, finishReason } = turn
  const { calls } = parseAction(text, [probeTool], { finishReason })
  return calls.some(({ toolName }) => toolName === probeTool.name)
}

function judgeInput(toolName: string, input: JsonValue): Verdict {
  if (meantName(toolName, [probeTool.name]) === undefined)
    return { type: 'invalid', reason: `It called '${shortened(toolName)}', which it has not.` }
  if (typeof asRecord(input)?.['value'] === 'number') return { type: 'native' }
  const text = shortened(JSON.stringify(input))
  return { type: 'invalid', reason: `The arguments don't fit the tool's schema: ${text}` }
}

function judgeText({ text, finishReason }: CollectedTurn): Verdict | undefined {
  if (!text.includes(probeTool.name)) return undefined
  const scanner = createActionScanner([probeTool], { rescue: true })
  const parts = [...scanner.push(text), ...scanner.end({ finishReason })]
  const isRead = parts.some((part) => part.type === 'tool-call' && part.input !== undefined)
  const dialect = dialectOf(text)
  // Without a call and without its marks it is talk about the tool.
  if (!isRead && !dialect) return undefined
  return { type: 'text', isRead, ...(dialect && { dialect }) }
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
