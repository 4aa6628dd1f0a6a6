import type {
  CallError,
  CallErrorCode,
  FilePart,
  TextPart,
  ToolOutput,
} from '../protocol/message.ts'

/** A call with its output, or the error of an action that could not be read. */
export type Observed =
  | { readonly toolName: string; readonly output: ToolOutput }
  | { readonly error: CallError }

/**
 * Formats the results of calls as the text of a user message: one observation per call, in order. A tool's output can't
 * fake an observation, because lines that look like one are quoted with `> `.
 */
export function formatObservation(results: readonly Observed[]): string {
  return results.map((result) => `Observation: ${describe(result)}`).join('\n')
}

function describe(result: Observed): string {
  if ('error' in result) return `Error - ${quoteLines(result.error.message)}`
  const { toolName, output } = result
  switch (output.type) {
    case 'text':
      return succeeded(toolName, output.value)
    case 'json':
      return succeeded(toolName, JSON.stringify(output.value))
    case 'content':
      return succeeded(toolName, output.value.map(describePart).join('\n'))
    case 'error':
      return `Error - ${quoteLines(describeError(toolName, output.code, output.message))}`
    case 'denied':
      return `Error - ${quoteLines(describeError(toolName, 'denied', output.reason ?? ''))}`
  }
}

function succeeded(toolName: string, result: string): string {
  return `Tool ${toolName} succeeded. Result: ${quoteLines(result)}`
}

/** An output part as text. A file becomes a placeholder with its name or media type. */
export function describePart(part: TextPart | FilePart): string {
  return part.type === 'text' ? part.text : `[file: ${part.filename ?? part.mediaType}]`
}

const prefixes: { readonly [Code in CallErrorCode]?: (tool: string) => string } = {
  malformed: () => 'Malformed action',
  unknown_tool: (tool) => `Unknown tool '${tool}'`,
  invalid_params: (tool) => `Invalid parameters for ${tool}`,
  denied: (tool) => `Tool ${tool} was denied`,
  timeout: (tool) => `Tool ${tool} timed out`,
  interrupted: (tool) => `Tool ${tool} was interrupted, it is not known whether it took effect`,
  truncated: (tool) => `The call of ${tool} was cut off`,
  'invalid-json': (tool) => `The arguments of ${tool} are not valid JSON`,
}

/**
 * Puts a prefix for the code before the message, unless the reader already did. An unknown code, perhaps stored by a
 * newer version, gets the prefix of a failed call.
 */
function describeError(toolName: string, code: CallErrorCode, message: string): string {
  const formatPrefix = Object.hasOwn(prefixes, code) ? prefixes[code] : undefined
  const prefix = formatPrefix?.(toolName) ?? `Tool ${toolName} failed`
  if (message.startsWith(prefix)) return message
  return message === '' ? `${prefix}.` : `${prefix}: ${message}`
}

/** Quotes lines after every kind of line break that a model may read as one. */
function quoteLines(text: string): string {
  return text.replaceAll(
    /(^|[\n\r\v\f\u0085\u2028\u2029])(?=[\p{Zs}\p{Cf}\t>]*observation\s*:)/giu,
    '$1> ',
  )
}
