import type { ToolDefinition } from '../protocol/tool.ts'
import { createActionScanner, loneThinkCloser } from './action-scanner.ts'
import type { ActionCall } from './call-arguments.ts'
import type { ActionError } from './call-problem.ts'
import type { JsonObject } from '../protocol/json.ts'

export interface ParseActionOptions {
  /** Why the model stopped, as in `ActionScanner.end`. */
  readonly finishReason?: string
  /**
   * Whether the prompt template already opened the reasoning. Default: true if the output has a closing think tag
   * without an opening one.
   */
  readonly reasoningPrefilled?: boolean
}

export interface ParsedAction {
  /** The reply to the person, trimmed, without reasoning. */
  readonly text: string
  /** The valid calls, in order. */
  readonly calls: readonly ActionCall[]
  /** Error of the first invalid call, or of the block. */
  readonly error?: ActionError
}

/** Reads a model's whole output, as the scanner does. Never throws. */
export function parseAction(
  text: string,
  tools: readonly ToolDefinition[],
  options: ParseActionOptions = {},
): ParsedAction {
  const { reasoningPrefilled } = options
  const scanner = createActionScanner(tools, {
    newId: () => '',
    ...(reasoningPrefilled !== undefined && { reasoningPrefilled }),
  })
  const parts = [...scanner.push(text), ...scanner.end(options)]
  let reply = ''
  let error: ActionError | undefined
  const calls: ActionCall[] = []
  for (const part of parts) {
    if (part.type === 'text-delta') reply += part.delta
    else if (part.type === 'warning' && part.code === loneThinkCloser) {
      if (reasoningPrefilled === undefined) reply = ''
      calls.length = 0
      error = undefined
    } else if (part.type === 'tool-call' && part.input !== undefined)
      calls.push({ toolName: part.toolName, input: part.input as JsonObject })
    else if ((part.type === 'tool-call' || part.type === 'action-error') && part.error)
      error ??= part.error as ActionError
  }
  return { text: reply.trim(), calls, ...(error && { error }) }
}
