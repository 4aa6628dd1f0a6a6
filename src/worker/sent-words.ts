import { CallFinder } from '../action/find-calls.ts'
import type { JournalEntry } from '../protocol/journal.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { FilePart, Message, TextPart, ToolOutput } from '../protocol/message.ts'
import type { SettledStatus, ToolDefinition } from '../protocol/tool.ts'

/** Statuses whose output is a tool's, a page's or a person's own words, not Offstage's. */
const OWN_WORDS: ReadonlySet<SettledStatus> = new Set(['succeeded', 'failed'])

/**
 * What others than the model said in a conversation, derived from its journal entry by entry: a call
 * in the model's text that stands there, too, may be a quotation. Kept when the history is cleared.
 */
export class SentWords {
  readonly #texts: string[] = []
  readonly #nativeCalls = new Set<string>()
  #calledNatively = false
  /** The calls in the texts, read once for the same tools. */
  #found: { readonly tools: string; readonly finder: CallFinder; read: number } | null = null

  /** A native call has worked in this conversation. */
  get calledNatively(): boolean {
    return this.#calledNatively
  }

  /** The call was sent to the model by others; `live`: what goes with each request and isn't stored. */
  hold(
    call: { readonly toolName: string; readonly input: JsonValue },
    tools: readonly ToolDefinition[],
    live: string = '',
  ): boolean {
    const finder = this.#read(tools)
    if (finder.holds(call.toolName, call.input)) return true
    if (live === '') return false
    const current = new CallFinder(tools)
    current.read(live)
    return current.holds(call.toolName, call.input)
  }

  fold(entry: JournalEntry): void {
    switch (entry.type) {
      case 'run-started':
        if (entry.message) this.#takeMessage(entry.message)
        return
      case 'messages-imported':
        for (const message of entry.messages) this.#takeMessage(message)
        return
      case 'model-output':
        for (const call of entry.calls)
          if (entry.toolMode === 'native' && call.known && !call.rescued)
            this.#nativeCalls.add(call.toolCallId)
        return
      case 'call-settled':
        if (OWN_WORDS.has(entry.status)) {
          this.#takeOutput(entry.output)
          this.#calledNatively ||= this.#nativeCalls.has(entry.toolCallId)
        }
        return
      default:
        return
    }
  }

  #read(tools: readonly ToolDefinition[]): CallFinder {
    const wanted = JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]))
    if (this.#found?.tools !== wanted)
      this.#found = { tools: wanted, finder: new CallFinder(tools), read: 0 }
    const { finder, read } = this.#found
    for (const text of this.#texts.slice(read)) finder.read(text)
    this.#found.read = this.#texts.length
    return finder
  }

  #takeMessage(message: Message): void {
    if (message.role === 'user') this.#takeParts(message.parts)
    if (message.role !== 'tool') return
    for (const { output } of message.parts) this.#takeOutput(output)
  }

  #takeOutput(output: ToolOutput): void {
    switch (output.type) {
      case 'text':
        this.#texts.push(output.value)
        return
      case 'json':
        this.#texts.push(JSON.stringify(output.value))
        return
      case 'content':
        return this.#takeParts(output.value)
      case 'error':
        this.#texts.push(output.message)
        return
      case 'denied':
        return
      default:
        output satisfies never
    }
  }

  #takeParts(parts: readonly (TextPart | FilePart)[]): void {
    for (const part of parts) {
      const text = part.type === 'text' ? part.text : textOfFile(part)
      if (text !== '') this.#texts.push(text)
    }
  }
}

/** What a text file says; models may be shown it as text. */
function textOfFile({ mediaType, data }: FilePart): string {
  if (!/^text\/|json|xml/.test(mediaType)) return ''
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
  } catch {
    return ''
  }
}
