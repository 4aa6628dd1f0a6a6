import type { CompositeTool, Tool } from '../client/tool.ts'
import type { ToolAnnotations } from '../protocol/tool.ts'
import { loadPart } from '../client/load-part.ts'
import type { Ask } from './ask-person.ts'
import { badAnswer } from './failures.ts'
import { headerParameters } from './headers.ts'
import type { Answers, CallOptions, McpLine, Round } from './line.ts'
import type { McpOptions } from './options.ts'
import { paceProgress } from './pace-progress.ts'
import { remoteOf } from './remote-of.ts'
import { toOutput, type ToolReturn } from './to-output.ts'
import type { McpToolInfo } from './tool-info.ts'
import type { Fields } from './wire.ts'

/** A server may ask again and again; at some point nobody wants to be asked any more. */
const MOST_ROUNDS = 10
/** Of all rounds of a call. */
const MOST_QUESTIONS = 20

export interface ToolMaking {
  readonly line: McpLine
  readonly options: Pick<McpOptions, 'trusted' | 'timeoutMs' | 'elicitation'>
  /** Notified of a question that no person is asked. */
  refused(message: string): void
}

/** One round of a call, done or remembered. */
type DoRound = (number: number, answers: Answers | undefined) => Promise<Round>

/**
 * A server's tool as one of the page. Where the server may ask the person, it is a composite tool: what it asks is a
 * nested `ask_user`, so that a reload loses neither the question nor the answer.
 */
export function makeTool(
  info: McpToolInfo,
  name: string,
  { line, options, refused: report }: ToolMaking,
): Tool | CompositeTool {
  const { timeoutMs, elicitation, trusted = false } = options
  const { source } = line
  const headers = headerParameters(info.inputSchema)
  if (typeof headers === 'string') throw badAnswer(source, `lists a tool that ${headers}.`)
  const annotations = annotationsOf(info, trusted)
  const repeatable = annotations.readOnly === true || annotations.idempotent === true
  const refused = (why: string): void => report(`${source} ${why}.`)
  const call = async (input: unknown, context: Omit<CallOptions, 'repeatable'>): Promise<Round> => {
    const { note: progress, end } = paceProgress(context.progress)
    try {
      const request = { name: info.name, input: input as Fields, headers }
      return await line.call(request, { ...context, progress, repeatable })
    } finally {
      end()
    }
  }
  const base = {
    name,
    ...(info.title !== undefined && { title: info.title }),
    description: info.description,
    inputSchema: info.inputSchema,
    annotations,
    remote: remoteOf(line, trusted),
    ...(timeoutMs !== undefined && { timeoutMs }),
    metadata: { mcp: { name: info.name, hints: info.hints } },
  }
  if (elicitation === 'ask_user')
    return {
      ...base,
      version: '1',
      run: (input, { step, call: nested, signal, progress }) =>
        finish(
          (number, answers) =>
            step(`round ${number}`, () => call(input, roundOptions(answers, signal, progress)), {
              atMostOnce: !repeatable,
            }),
          {
            source,
            refused,
            ask: async (request) => (await asking()).askUser(request, nested),
          },
        ),
    }
  return {
    ...base,
    execute: (input, { signal, progress, toolCallId }) =>
      finish((_, answers) => call(input, roundOptions(answers, signal, progress)), {
        source,
        refused,
        ask: async (request) =>
          elicitation?.(request, { toolCallId, signal }) ?? { action: 'cancel' },
      }),
  }
}

function roundOptions(
  answers: Answers | undefined,
  signal: AbortSignal,
  progress: CallOptions['progress'],
): Omit<CallOptions, 'repeatable'> {
  return { signal, progress, ...(answers && { answers }) }
}

/** Few servers ask. */
const asking = () => loadPart(() => import('./ask-person.ts'))

/** Goes on until the server has what it asks for. Who declined once is asked nothing more in this call. */
async function finish(
  round: DoRound,
  person: { readonly source: string; readonly ask: Ask; refused(why: string): void },
): Promise<ToolReturn> {
  let answers: Answers | undefined
  let [questions, isDeclined] = [0, false]
  const ask: Ask = async (request) => {
    if (isDeclined) return { action: 'decline' }
    const answer = await person.ask(request)
    if (answer.action !== 'accept') isDeclined = true
    return answer
  }
  for (let number = 1; number <= MOST_ROUNDS; number++) {
    const came = await round(number, answers)
    if (came.type === 'done') return toOutput(came.result)
    const { requests, requestState } = came
    const inputResponses: Record<string, unknown> = {}
    const asked = Object.entries(requests)
    if (asked.length === 0 && requestState === undefined)
      throw badAnswer(person.source, 'asked for input, and not for what.')
    questions += asked.length
    if (questions > MOST_QUESTIONS)
      throw badAnswer(person.source, `asked more than ${MOST_QUESTIONS} questions in one call.`)
    const { answerRequest } = await asking()
    // One after the other: a person is asked one thing at a time.
    for (const [key, request] of asked)
      inputResponses[key] = await answerRequest(request, { ...person, ask })
    answers = { inputResponses, ...(requestState !== undefined && { requestState }) }
  }
  throw badAnswer(person.source, `asked for input ${MOST_ROUNDS} times in one call.`)
}

/**
 * MCP's hints with MCP's defaults (schema, `ToolAnnotations`). Those that make a tool look harmless count only from a
 * server that the app trusts.
 */
function annotationsOf({ hints }: McpToolInfo, trusted: boolean): ToolAnnotations {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    // MCP's default would have each result of a search request approval for the next search.
    openWorldHint = !readOnlyHint,
  } = hints
  return {
    ...(trusted && readOnlyHint && { readOnly: true }),
    ...(trusted && idempotentHint && { idempotent: true }),
    ...(!readOnlyHint && destructiveHint && { destructive: true }),
    openWorld: trusted ? openWorldHint : true,
    untrustedContent: true,
  }
}
