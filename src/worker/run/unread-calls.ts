import type { CallError, ToolCallPart } from '../../protocol/message.ts'
import { forModel, type NamedTool } from '../model/model-names.ts'

/** Replaces the text of a call that could not be read. */
export const UNREAD =
  '(A call that could not be read stood here. It is not kept, since it may hold a secret.)'

const HIDDEN = '(not repeated)'

/** Names that the ACTION format itself uses. */
const FORMAT_NAMES = ['action', 'actions', 'parameters', 'params', 'arguments', 'item', 'name']

/** Removes the model's text from a call that could not be read, since any of it may be secret. */
export function withoutRaw(
  part: Extract<ToolCallPart, { readonly error: CallError }>,
  tools: readonly NamedTool[],
): ToolCallPart {
  const { rawInput: _raw, error, ...rest } = part
  const message =
    // The browser's error message for invalid JSON quotes a piece of the text.
    error.code === 'invalid-json' ? RESEND : withoutQuotes(error.message, tools)
  return { ...rest, error: { ...error, message } }
}

const RESEND = 'Send the call again with valid JSON.'

/** Removes quotations from the message, except names of tools, of their parameters and of the ACTION format. */
export function withoutQuotes(message: string, tools: readonly NamedTool[]): string {
  const names = tools.map(forModel).map(({ name, inputSchema }) => [name, inputSchema])
  const known = JSON.stringify([FORMAT_NAMES, names])
  const isKnown = (text: string): boolean => known.includes(JSON.stringify(text))
  let kept = ''
  let rest = message
  for (;;) {
    const from = rest.search(/(?<![\p{L}\p{N}])["']/u)
    if (from === -1) break
    const mark = rest.charAt(from)
    const end = rest.indexOf(mark, from + 1)
    if (end !== -1 && isKnown(rest.slice(from + 1, end))) {
      kept += rest.slice(0, end + 1)
      rest = rest.slice(end + 1)
    } else {
      // A quotation may hold the same mark itself, so everything up to the last mark is hidden.
      const last = rest.lastIndexOf(mark)
      kept += `${rest.slice(0, from)}${HIDDEN}`
      rest = last > from ? rest.slice(last + 1) : ''
    }
  }
  return `${kept}${rest}`.replace(/<\/?([^\s<>/]+)/g, (tag, name: string) =>
    isKnown(name) ? tag : HIDDEN,
  )
}
