import { CallFinder } from '../../action/find-calls.ts'
import type { Row } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { FilePart, Message, TextPart, ToolOutput } from '../../protocol/message.ts'
import type { SettledStatus, ToolDefinition } from '../../protocol/tool.ts'

/** Statuses whose output is a tool's, a page's or a person's own words, not Offstage's. */
const OWN_WORDS: ReadonlySet<SettledStatus> = new Set(['succeeded', 'failed'])

interface SentText {
  readonly text: string
  /** A page or a tool said it, which may show text in other ways than it stands. */
  readonly isShown: boolean
}

/**
 * What others than the model said in a conversation, derived from its rows one by one: a call
 * in the model's text that stands there, too, may be a quotation. Kept when the history is cleared.
 */
export class SentWords {
  readonly #texts: SentText[] = []
  readonly #nativeCalls = new Set<string>()
  #calledNatively = false
  #context = ''
  /** The calls in the texts, read once for the same tools. */
  #found: { readonly tools: string; readonly finder: CallFinder; read: number } | null = null

  /** A native call has worked in this conversation. */
  get calledNatively(): boolean {
    return this.#calledNatively
  }

  /** The call was sent to the model by others. */
  hold(
    call: { readonly toolName: string; readonly input: JsonValue },
    tools: readonly ToolDefinition[],
  ): boolean {
    return this.#read(tools).holds(call.toolName, call.input)
  }

  /**
   * Takes what goes with a request and isn't stored. Only the calls in it are kept, of the tools there
   * are now, as long as this worker has the conversation.
   */
  takeContext(text: string, tools: readonly ToolDefinition[]): void {
    if (text === '' || text === this.#context) return
    this.#context = text
    this.#read(tools).read(text, true)
  }

  fold(entry: Row): void {
    switch (entry.type) {
      case 'run-started':
        if (entry.message) this.#takeParts(entry.message.parts, false)
        return
      case 'messages-imported':
        for (const message of entry.messages) this.#takeImported(message)
        return
      case 'model-output':
        for (const call of entry.calls)
          if (entry.toolMode === 'native' && call.known && !call.rescued)
            this.#nativeCalls.add(call.toolCallId)
        return
      case 'message-amended':
        for (const text of [entry.appended, entry.rewritten]) if (text) this.#take(text, false)
        return
      case 'answer-rejected':
        return this.#take(entry.message.text, false)
      case 'message-queued':
        return this.#takeParts(entry.message.parts, false)
      // It may repeat what a page or a file said.
      case 'compacted':
        return this.#take(entry.summary, false)
      case 'answer-reflected':
        if (entry.mode === 'replace') this.#take(entry.text ?? '', false)
        return
      case 'skill-activated':
        if (entry.loaded) this.#take(entry.text, false)
        return
      case 'memory-retrieved':
        for (const { text } of entry.items) this.#take(String(text), false)
        return
      case 'call-settled':
        if (OWN_WORDS.has(entry.status)) {
          this.#takeOutput(entry.output)
          this.#calledNatively ||= this.#nativeCalls.has(entry.path.at(-1) ?? '')
        }
        return
      default:
        return
    }
  }

  #read(tools: readonly ToolDefinition[]): CallFinder {
    const wanted = JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]))
    if (this.#found?.tools !== wanted)
      this.#found = { tools: wanted, finder: new CallFinder(tools, this.#found?.finder), read: 0 }
    const { finder, read } = this.#found
    for (const { text, isShown } of this.#texts.slice(read)) finder.read(text, isShown)
    this.#found.read = this.#texts.length
    return finder
  }

  /** Nobody knows who wrote the texts of an imported history, its model's ones included. */
  #takeImported(message: Message): void {
    this.#takeMessage(message)
    if (message.role === 'system') this.#takeParts(message.parts, false)
    if (message.role !== 'assistant') return
    for (const part of message.parts) {
      if (part.type === 'text') this.#take(part.text, false)
      const inputs: string[] = []
      if (part.type === 'tool-call' && part.input !== undefined) collectTexts(part.input, inputs)
      for (const text of inputs) this.#take(text, false)
    }
    // The model may get these in place of the parts.
    if (message.actionText !== undefined) this.#take(message.actionText, false)
    const own: string[] = []
    collectTexts(message.providerMetadata ?? {}, own)
    for (const text of own) this.#take(text, false)
  }

  #takeMessage(message: Message): void {
    if (message.role === 'user') this.#takeParts(message.parts, message.synthetic ?? false)
    if (message.role !== 'tool') return
    for (const { output } of message.parts) this.#takeOutput(output)
  }

  #takeOutput(output: ToolOutput): void {
    switch (output.type) {
      case 'text':
        return this.#take(output.value, true)
      case 'json':
        return this.#takeJson(output.value)
      case 'content':
        return this.#takeParts(output.value, true)
      case 'error':
        return this.#take(output.message, true)
      case 'denied':
        return
      default:
        output satisfies never
    }
  }

  /** A call may also be split over the texts in it, or stand in a key. */
  #takeJson(value: JsonValue): void {
    this.#take(JSON.stringify(value), true)
    const leaves: string[] = []
    collectTexts(value, leaves)
    if (leaves.length > 0) this.#take(leaves.join('\n'), true)
  }

  /** Of each part, and of all together: a call may be split over them. */
  #takeParts(parts: readonly (TextPart | FilePart)[], isShown: boolean): void {
    const texts: string[] = []
    for (const part of parts) {
      if (part.type === 'text') texts.push(part.text)
      else this.#take(textOfFile(part), true)
    }
    for (const text of texts) this.#take(text, isShown)
    if (texts.length < 2) return
    this.#take(texts.join(''), isShown)
    this.#take(texts.join('\n'), isShown)
  }

  #take(text: string, isShown: boolean): void {
    if (text !== '') this.#texts.push({ text, isShown })
  }
}

/** The texts of a value and of all in it, in order, its keys included where they are no mere names. */
function collectTexts(value: JsonValue, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const entry of value) collectTexts(entry, texts)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      if (/[^\w .-]/.test(key)) texts.push(key)
      collectTexts(entry, texts)
    }
  }
}

/** Media types that hold no text a model could repeat as it stands. */
const isNoText =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|vnd\.openxml|wasm))/

/** What a file says: its name, and its bytes where they are text; models may be shown both. */
function textOfFile({ mediaType, data, filename = '' }: FilePart): string {
  if (isNoText.test(mediaType)) return filename
  try {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
    const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
    const isText = text.split('\ufffd').length <= 1 + text.length / 20
    return isText ? `${filename}\n${text}`.trim() : filename
  } catch {
    return filename
  }
}

function encodingOf([first = 1, second = 1]: Uint8Array): string {
  if (first === 0xfe || first === 0) return 'utf-16be'
  return first === 0xff || second === 0 ? 'utf-16le' : 'utf-8'
}
