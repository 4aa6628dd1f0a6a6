import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import type { ToolAnnotations } from '../../protocol/tool.ts'
import { loadPart } from '../../client/api/load-part.ts'
import type { Ask } from './ask-person.ts'
import { badAnswer, sanitizeLine } from './failures.ts'
import { headerParameters } from './headers.ts'
import {
  type Answers,
  type CallOptions,
  type McpConnection,
  type ProgressNote,
  remoteOf,
  type Round,
} from './connection.ts'
import type { McpOptions, McpToolInfo } from './options.ts'
import type { Fields } from './wire.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { cleanName } from '../../client/tools/clean-name.ts'
import { fnv1a } from '../../lib/text-digest.ts'
import { isRecord } from '../../lib/shape.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import { cleanUntrustedData } from '../../lib/untrusted-data.ts'

/** Maximum questions in all rounds of a call, and maximum rounds. More would only annoy the person. */
const MOST_QUESTIONS = 20

export interface MakeToolOptions {
  readonly line: McpConnection
  readonly options: Pick<McpOptions, 'trusted' | 'timeoutMs' | 'elicitation'>
  /** SHA-256 of the definition. Undefined on plain HTTP. */
  readonly digest: string | undefined
  /** Called for each question that is refused without asking a person. */
  onRefused(message: string): void
}

/** Runs a round of a call, or returns its stored result. */
type RunRound = (number: number, answers: Answers | undefined) => Promise<Round>

/**
 * Makes a page's tool from a server's tool. If the server may ask questions, makes a composite tool. Its questions are
 * nested `ask_user` calls, so a reload loses neither question nor answer.
 */
export function makeTool(
  info: McpToolInfo,
  name: string,
  { line: connection, options, digest, onRefused: report }: MakeToolOptions,
): Tool | CompositeTool {
  const { timeoutMs, elicitation, trusted = false } = options
  const { source } = connection
  const headers = headerParameters(info.inputSchema)
  if (typeof headers === 'string') throw badAnswer(source, `lists a tool that ${headers}.`)
  const annotations = annotationsOf(info, trusted)
  const repeatable = annotations.readOnly === true || annotations.idempotent === true
  const onRefused = (why: string): void => report(`${source} ${why}.`)
  const call = async (input: unknown, context: Omit<CallOptions, 'repeatable'>): Promise<Round> => {
    const { note: progress, end } = paceProgress(context.progress)
    try {
      const request = { name: info.name, input: input as Fields, headers }
      return await connection.call(request, { ...context, progress, repeatable })
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
    remote: { ...remoteOf(connection, trusted), ...(digest && { digest }) },
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
            onRefused,
            ask: async (request) => (await loadAskPerson()).askUser(request, nested),
          },
        ),
    }
  return {
    ...base,
    execute: (input, { signal, progress, toolCallId }) =>
      finish((_, answers) => call(input, roundOptions(answers, signal, progress)), {
        source,
        onRefused,
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

/** Loaded on demand, because few servers ask. */
const loadAskPerson = () => loadPart(() => import('./ask-person.ts'))

/**
 * Repeats rounds until the server has its input. After a declined question, declines all further questions of the call.
 */
async function finish(
  runRound: RunRound,
  person: { readonly source: string; readonly ask: Ask; onRefused(why: string): void },
): Promise<ToolReturn> {
  let answers: Answers | undefined
  let [questionCount, isDeclined] = [0, false]
  const ask: Ask = async (request) => {
    if (isDeclined) return { action: 'decline' }
    const answer = await person.ask(request)
    if (answer.action !== 'accept') isDeclined = true
    return answer
  }
  for (let number = 1; number <= MOST_QUESTIONS + 1; number++) {
    const result = await runRound(number, answers)
    if (result.type === 'done') return toOutput(result.result)
    const { requests, requestState } = result
    const inputResponses: Record<string, unknown> = {}
    const requestEntries = Object.entries(requests)
    if (requestEntries.length === 0 && requestState === undefined)
      throw badAnswer(person.source, 'asked for input without a question.')
    questionCount += requestEntries.length
    if (questionCount > MOST_QUESTIONS)
      throw badAnswer(person.source, `asked more than ${MOST_QUESTIONS} questions in one call.`)
    const { answerRequest } = await loadAskPerson()
    // Asks one question after the other, because a person should see one at a time.
    for (const [key, request] of requestEntries)
      inputResponses[key] = await answerRequest(request, { ...person, ask })
    answers = { inputResponses, ...(requestState !== undefined && { requestState }) }
  }
  throw badAnswer(person.source, `asked for input ${MOST_QUESTIONS + 1} times in one call.`)
}

/**
 * Annotations from MCP's hints and their defaults (schema, `ToolAnnotations`). Hints that make a tool look harmless
 * count only if the app trusts the server.
 */
function annotationsOf({ hints }: McpToolInfo, trusted: boolean): ToolAnnotations {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    // Overrides MCP's default, true, which would make each search's result require approval for the next search.
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

/** Minimum average gap between two progress notes of a call; a person can't read faster. Milliseconds. */
const GAP_MS = 50
/** Number of notes that may be reported without a gap. */
const BURST = 10

interface PacedProgress {
  note(value: ProgressNote): void
  /** Reports the newest note if it is still waiting. */
  end(): void
}

/**
 * Reports progress at most twenty times a second, except for a burst at the beginning. Drops all but the newest note in
 * each gap.
 */
function paceProgress(report: (value: ProgressNote) => void): PacedProgress {
  let [credit, countedAt] = [BURST, monotonicMs()]
  let waiting: ProgressNote | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const reportNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    const value = waiting
    waiting = undefined
    if (!value) return
    credit = Math.max(credit - 1, 0)
    report(value)
  }
  return {
    note(value) {
      const now = monotonicMs()
      credit = Math.min(credit + (now - countedAt) / GAP_MS, BURST)
      countedAt = now
      waiting = value
      if (credit >= 1) reportNow()
      else timer ??= setTimeout(reportNow, GAP_MS)
    },
    end: reportNow,
  }
}

/** Maximum length of a name that model APIs accept. */
const MAX_NAME = 64
const MAX_PREFIX = 24
const SEPARATOR = '__'

/**
 * Prefix of a server's tool names; empty if the app sets an empty prefix. Contains no `__`, because the first `__` of a
 * name ends the prefix. Otherwise the tool `b__c` of server `a` and the tool `c` of server `a__b` would share a name.
 */
export function cleanPrefix(prefix: string | undefined, serverName: string): string {
  if (prefix === '') return ''
  const single = cleanName(prefix ?? serverName).replace(/_{2,}/g, '_')
  return single.slice(0, MAX_PREFIX).replace(/_$/, '') || 'mcp'
}

/**
 * Model name of a tool: `prefix__name`. A name that is too long is cut, and gets a short hash. Null if the name has no
 * usable letters.
 */
export function modelName(prefix: string, name: string): string | null {
  const clean = name.replace(/[^\w-]+/g, '_')
  if (!cleanName(clean)) return null
  const full = prefix ? `${prefix}${SEPARATOR}${clean}` : clean
  if (full.length <= MAX_NAME) return full
  const mark = `_${fnv1a(name).toString(36)}`
  return full.slice(0, MAX_NAME - mark.length) + mark
}

/** Output of a tool: text, plain data, or a list of texts and files. */
export type ToolReturn = string | object | readonly (string | Blob)[]

/**
 * Converts a result of `tools/call` or `resources/read` to a tool's output (server/tools, "Tool Result"). Images and
 * audio become files. Links become text; nothing is fetched. Throws the server's text if `isError` is set.
 */
export function toOutput(result: Fields): ToolReturn {
  const content: readonly unknown[] = Array.isArray(result.content) ? result.content : []
  const parts = content.map(partOf).filter((part) => part !== '')
  const text = parts.filter((part) => typeof part === 'string').join('\n\n')
  if (result.isError === true) throw new Error(text || 'The server says that the tool failed.')
  const { structuredContent: structured } = result
  if (structured !== undefined && structured !== null) {
    const data = cleanUntrustedData(structured)
    const json = JSON.stringify(data)
    const isRepeated = repeatsJson(text, json)
    if (parts.length === 0 || (isRepeated && isText(parts)))
      return typeof data === 'object' && data !== null ? data : json
    if (!isRepeated) parts.push(json)
  }
  return isText(parts) ? parts.join('\n\n') : parts
}

function isText(parts: readonly (string | Blob)[]): parts is readonly string[] {
  return parts.every((part) => typeof part === 'string')
}

function partOf(block: unknown): string | Blob {
  if (!isRecord(block)) return ''
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? cleanUntrustedText(block.text) : ''
    case 'image':
    case 'audio':
      return fileOf(block, block.data)
    case 'resource':
      return resourcePart(block.resource)
    case 'resource_link':
      return `[resource ${shortText(block.uri)}: ${shortText(block.title ?? block.name)}${block.description === undefined ? '' : `, ${shortText(block.description)}`}]`
    default:
      return `[content of an unknown kind: ${shortText(block.type)}]`
  }
}

/** The content of a resource: text with its URI, or a file. */
export function resourcePart(resource: unknown): string | Blob {
  if (!isRecord(resource)) return ''
  if (typeof resource.text === 'string')
    return `[resource ${shortText(resource.uri)}]\n${cleanUntrustedText(resource.text)}`
  return fileOf(resource, resource.blob)
}

function fileOf({ mimeType }: Fields, data: unknown): string | Blob {
  const type =
    typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream'
  try {
    const binary = atob(String(data))
    return new Blob([Uint8Array.from(binary, (char) => char.charCodeAt(0))], { type })
  } catch {
    return `[a file of type ${type} that can't be read]`
  }
}

/** Whether the text only repeats the structured result, as many servers do. */
function repeatsJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? sanitizeLine(value, 500) : ''
}
