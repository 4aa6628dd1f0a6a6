import type { CallFinder } from '../../action/find-calls.ts'
import type { Row } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Message } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/page-calls.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import { foreignTexts } from '../store/fact-table.ts'
import { forModel, type NamedTool, toModelNames } from './model-names.ts'
import { callParts } from '../../conversation/fold-call.ts'
import { isRecord } from '../../lib/is-record.ts'
import { parseJson } from '../../providers/core/read-json.ts'
import { actionPart, loadedActionPart } from '../parts.ts'

/** Media types without text that a model could repeat verbatim. */
const NO_TEXT = /^(?:image|audio|video|font)\/|pdf|zip|openxml|wasm/

/**
 * Yields every text in a message, an output or a list of them. Files yield their content. JSON, even inside a text,
 * yields its whole text and each string in it.
 */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') {
    yield value
    if (/^\s*[{[]/.test(value)) yield* textsIn(parseJson(value))
  } else if (Array.isArray(value)) for (const each of value) yield* textsIn(each)
  else if (isRecord(value)) {
    const { type, data, ...rest } = value
    const isFile = type === 'file' && typeof data === 'string'
    if (isFile) yield decoded(data, String(value['mediaType']))
    // The result as a whole may look like a call.
    if (type === 'json') yield JSON.stringify(value)
    yield* textsIn(Object.values(isFile ? rest : value))
  }
}

function decoded(base64: string, mediaType: string): string {
  if (NO_TEXT.test(mediaType)) return ''
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))
  } catch {
    return ''
  }
}

/** Statuses that prove that a call reached its tool. */
const PROVES_CALL: ReadonlySet<SettledStatus> = new Set(['succeeded', 'failed'])

interface Call {
  readonly toolName: string
  readonly input: JsonValue
}

/**
 * Texts in a conversation that the model didn't write, derived from its rows. A call in the model's text that also
 * appears in these texts may be a quotation. Kept when the history is cleared. Finds only verbatim repetitions:
 * disguised calls are covered by the taint of untrusted content.
 */
export class PromptTexts {
  readonly #texts: string[] = []
  /** Calls in an imported history. */
  readonly #importedCalls: Call[] = []
  readonly #nativeCalls = new Set<string>()
  #calledNatively = false
  /** Texts of the last request that aren't stored in a row. */
  #unstored: readonly string[] = []
  /** Unstored texts of requests that the finder hasn't read yet. */
  #unread: string[] = []
  /** Finds the calls in the texts. Kept until the tools change, so that each text is read once. */
  #finderCache: { tools: string; readonly finder: CallFinder; read: number } | null = null

  /** Whether a native call has worked in this conversation. */
  get calledNatively(): boolean {
    return this.#calledNatively
  }

  /** Whether a text that the model didn't write has this call. Texts have the model's names. */
  hasCall(call: Call, tools: readonly NamedTool[]): boolean {
    const { toolName, input } = toModelNames(call, tools)
    return this.#readTexts(tools).hasCall(toolName, input)
  }

  /**
   * Reads the texts of a request that aren't stored in rows: live context and descriptions of loaded skills. Keeps only
   * their calls of current tools, and only in memory.
   */
  readUnstored({ context = '', skills = [], tools }: StepContext): void {
    const previous = this.#unstored
    const loaded = skills.filter((skill) => skill.loaded)
    this.#unstored = [...textsIn([context, ...loaded.map(({ description }) => description)])]
    const added = this.#unstored.filter((text) => !previous.includes(text))
    this.#unread.push(...added)
    if (added.length > 0 && loadedActionPart()) this.#readTexts(tools)
  }

  fold(row: Row): void {
    this.#addTexts(foreignTexts(row))
    if (row.type === 'messages-imported') this.#addImportedCalls(row.messages)
    else if (row.type === 'model-output') {
      for (const { toolCallId, known, rescued } of row.calls)
        if (row.toolMode === 'native' && known && !rescued) this.#nativeCalls.add(toolCallId)
    } else if (row.type === 'call-settled' && PROVES_CALL.has(row.status))
      this.#calledNatively ||= this.#nativeCalls.has(row.path.at(-1) ?? '')
  }

  #readTexts(namedTools: readonly NamedTool[]): CallFinder {
    const tools = namedTools.map(forModel)
    const toolsKey = JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]))
    if (this.#finderCache?.tools !== toolsKey) {
      const finder = new (actionPart().CallFinder)(tools, this.#finderCache?.finder)
      for (const call of this.#importedCalls) finder.addCall(toModelNames(call, namedTools))
      for (const text of this.#unstored) finder.addText(text)
      this.#finderCache = { tools: toolsKey, finder, read: 0 }
    }
    const { finder, read } = this.#finderCache
    for (const text of [...this.#unread.splice(0), ...this.#texts.slice(read)]) finder.addText(text)
    this.#finderCache.read = this.#texts.length
    return finder
  }

  /** The author of an imported history is unknown, so its calls count as untrusted, too. */
  #addImportedCalls(messages: readonly Message[]): void {
    for (const message of messages)
      for (const part of callParts(message))
        if (part.input !== undefined) this.#importedCalls.push(part)
    // Makes the next read create a finder with these calls.
    if (this.#finderCache) this.#finderCache.tools = ''
  }

  #addTexts(value: unknown): void {
    for (const text of textsIn(value)) this.#texts.push(text)
  }
}
