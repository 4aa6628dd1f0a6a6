import { cleanUntrustedText } from '../../lib/invisible.ts'
import { isRecord } from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import {
  type FieldsSchema,
  type FieldValues,
  type QuestionAnswer,
  readFields,
} from '../../protocol/fields.ts'
import { sanitizeLine } from './failures.ts'
import type { McpElicitation } from './options.ts'

/** Maximum characters of the server's message above its form. */
const MAX_MESSAGE = 1000

/** Characters of any script that look like a closing quote. */
const QUOTES =
  /["\p{Pi}\p{Pf}\u201A\u201E\u2033\u2036\u275D\u275E\u3003\u301D-\u301F\u300C-\u300F\uFF02\uFF62\uFF63]/gu

/** Puts a server's question to a person. */
export type Ask = (request: McpElicitation) => Promise<QuestionAnswer>

/** The server's request, or the reason why it isn't shown to a person. */
type Reading = { readonly request: McpElicitation } | { readonly problem: string }

/** Answers a server's request for input (client/elicitation). Never opens a URL. */
export async function answerRequest(
  request: unknown,
  {
    source,
    ask,
    onRefused,
  }: { readonly source: string; readonly ask: Ask; onRefused(why: string): void },
): Promise<QuestionAnswer> {
  const reading = readRequest(request, source)
  if ('request' in reading) return ask(reading.request)
  onRefused(reading.problem)
  return { action: 'decline' }
}

function readRequest(request: unknown, source: string): Reading {
  const { method, params } = isRecord(request) ? request : {}
  if (method !== 'elicitation/create' || !isRecord(params))
    return { problem: `asks for ${sanitizeLine(String(method), 100)}, which is not supported` }
  const { mode = 'form', message, requestedSchema } = params
  if (mode !== 'form') return { problem: 'asks to open an address, which is not supported' }
  const parsed = readFields(requestedSchema)
  if ('problems' in parsed)
    return { problem: `asks with a form that ${sanitizeLine(parsed.problems.join('; '))}` }
  const shown = visibleFields(parsed.fields)
  if ('problem' in shown) return shown
  const text = typeof message === 'string' ? message : ''
  return { request: { source, message: sanitizeLine(text, MAX_MESSAGE), fields: shown.fields } }
}

/**
 * Puts each text of a form on one line, without hidden characters. Fails if values contain any, because values go back
 * to the server unchanged.
 */
function visibleFields(
  fields: FieldsSchema,
): { readonly fields: FieldsSchema } | { readonly problem: string } {
  const clean: unknown = JSON.parse(JSON.stringify(fields), (key, value: unknown) => {
    if (typeof value === 'string' && /^(title|description)$/.test(key)) return lineOf(value)
    return key === 'enumNames' && Array.isArray(value) ? value.map(String).map(lineOf) : value
  })
  const text = JSON.stringify(clean)
  const parsed = readFields(clean)
  return 'problems' in parsed || cleanUntrustedText(text) !== text
    ? { problem: 'asks with a form with hidden characters' }
    : parsed
}

function lineOf(text: string): string {
  return sanitizeLine(text, Infinity)
}

/**
 * Shows a server's request with the agent's `ask_user`, as a nested call. `call` resolves to the person's input, and
 * rejects without input.
 */
export async function askUser(
  { source, message, fields }: McpElicitation,
  call: (toolName: string, input: unknown) => Promise<unknown>,
): Promise<QuestionAnswer> {
  try {
    // Replaces quotes in the message, because text after a closing quote would look like ours.
    const question = `${source} asks: "${message.replace(QUOTES, "'")}"`
    const content = await call('ask_user', { question, fields })
    return {
      action: 'accept',
      content: isRecord(content) ? (content as unknown as FieldValues) : {},
    }
  } catch (thrown) {
    const status = OffstageError.is(thrown) ? thrown.details?.status : undefined
    if (status === 'denied') return { action: 'decline' }
    if (status === 'invalid')
      throw new OffstageError(
        'mcp-error',
        `${source} asks the person for input. The agent needs controlTools with 'ask_user', and questionFields: true.`,
        { cause: thrown },
      )
    throw thrown
  }
}
