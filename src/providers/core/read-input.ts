import type { CallError } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import type { ArgumentText } from './argument-text.ts'
import { parseToolInput, type ParsedInput } from './parse-tool-input.ts'
import { asList, asRecord } from './read-json.ts'

/**
 * How the model's output ended. `complete`: proven. `unsaid`: proven, but nobody said that the last call
 * was whole. `limited`: proven, but cut off by a limit or a filter, so that the last arguments may be a
 * beginning only. `refused`: the same, by a refusal, which makes the whole answer void. `cut`: no proof.
 */
export type OutputEnd = 'complete' | 'unsaid' | 'limited' | 'refused' | 'cut'

/** What is known of the output, and of the call's place in it. */
export interface Settlement {
  readonly end: OutputEnd
  readonly isLast: boolean
  /** It has a number of its own. */
  readonly isAlone: boolean
  /** Arguments came that belong to no named call: perhaps to one that seems to have none. */
  readonly hasStray: boolean
  readonly tools: readonly ToolDefinition[]
}

/**
 * What a call's arguments come to once the output is over: an input only if they are a complete, strict
 * JSON object, or if none were to come.
 */
export function readInput(name: string, args: ArgumentText, settlement: Settlement): ParsedInput {
  const parsed = parseArguments(name, args, settlement)
  return settlement.end === 'refused' && 'input' in parsed ? REFUSED : parsed
}

function parseArguments(
  name: string,
  args: ArgumentText,
  { end, isLast, isAlone, hasStray, tools }: Settlement,
): ParsedInput {
  if (end === 'cut') return truncated('The stream ended before this call was complete.')
  if (args.isTooLarge()) {
    return { error: { code: 'invalid-json', message: 'The arguments are too long or too deep.' } }
  }
  if (name === '') return { error: { code: 'malformed', message: 'The call has no tool name.' } }
  if (args.isEmpty() || args.isPlaceholder()) {
    // Under a limit, "nothing" and "nothing yet" look alike.
    const isOpen = end === 'limited' || end === 'refused' || (end === 'unsaid' && args.isEmpty())
    if (isOpen && isLast) return truncated('The output ended before the arguments.')
    // It may have been left for the next one: only a number of its own says that this one was done with.
    const isLeft = args.isEmpty() && !isLast && !isAlone
    if (hasStray || isLeft) return { error: { code: 'malformed', message: STRAY } }
    return args.isEmpty() ? emptyInput(tools.find((tool) => tool.name === name)) : { input: {} }
  }
  const parsed = firstInput(args)
  if (parsed) return parsed
  if (args.isCut()) return truncated('The output ended in the middle of the arguments.')
  return parseToolInput(args.candidates()[0] ?? '')
}

const REFUSED: ParsedInput = {
  error: {
    code: 'aborted',
    message: 'The provider refused the answer that this call was part of; it was not run.',
  },
}

const STRAY = 'The arguments of this call could not be told apart. Send it again.'

function firstInput(args: ArgumentText): ParsedInput | undefined {
  return args
    .candidates()
    .map(parseToolInput)
    .find((parsed) => 'input' in parsed)
}

/** No arguments at all are `{}`, unless the tool demands some. */
function emptyInput(tool: ToolDefinition | undefined): ParsedInput {
  const required = asList(asRecord(tool?.inputSchema)?.['required'])
  if (required.length === 0) return { input: {} }
  const message = `The call has no arguments, but ${required.join(', ')} must be given.`
  return { error: { code: 'invalid-json', message } }
}

function truncated(what: string): { readonly error: CallError } {
  return {
    error: {
      code: 'truncated',
      message: `${what} It was not run. Send it again, with shorter arguments if they were long.`,
    },
  }
}
