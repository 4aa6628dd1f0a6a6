import { CallFinder } from '../../action/find-calls.ts'
import { describeSkills } from '../../action/prompt.ts'
import type { Row, RowOf } from '../../protocol/fact.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { FilePart, Message, TextPart, ToolOutput } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { SettledStatus, ToolDefinition } from '../../protocol/tool.ts'
import { quotedMemories } from './memory-note.ts'
import { outgoingMessages } from './outgoing-messages.ts'
import { activeSkillText } from './skills-text.ts'
import { collectTexts, textOfFile } from './texts-in.ts'

/** Statuses whose output is a tool's, a page's or a person's own words, not Offstage's. */
const OWN_WORDS: ReadonlySet<SettledStatus> = new Set(['succeeded', 'failed', 'denied'])

interface Call {
  readonly toolName: string
  readonly input: JsonValue
}

interface SentText {
  readonly text: string
  /** A page or a tool said it, which may show text in other ways than it stands. */
  readonly isShown: boolean
}

/**
 * What others than the model said in a conversation, derived from its rows one by one: a call
 * in the model's text that stands there, too, may be a quotation. Kept when the history is cleared.
 * Texts are read in the words in which they are sent, which may join what is stored apart; of what is
 * imported, each text of each field besides, so that no field can be forgotten.
 */
export class SentWords {
  readonly #texts: SentText[] = []
  /** Those that an imported history says were made. */
  readonly #importedCalls: Call[] = []
  readonly #nativeCalls = new Set<string>()
  #calledNatively = false
  /** What went with the last request, and isn't stored. */
  #unstored: readonly SentText[] = []
  /** The calls in the texts, read once for the same tools. */
  #found: { readonly tools: string; readonly finder: CallFinder; read: number } | null = null

  /** A native call has worked in this conversation. */
  get calledNatively(): boolean {
    return this.#calledNatively
  }

  /** The call was sent to the model by others. */
  hold(call: Call, tools: readonly ToolDefinition[]): boolean {
    return this.#read(tools).holds(call.toolName, call.input)
  }

  /**
   * Takes what goes with a request and isn't stored. Only the calls in it are kept, of the tools there
   * are now, as long as this worker has the conversation.
   */
  takeUnstored({ context = '', skills = [], tools }: StepContext): void {
    const known = this.#unstored.map(({ text }) => text)
    const described = describeSkills(skills.filter(({ loaded }) => loaded))
    this.#unstored = [
      { text: context, isShown: true },
      { text: described, isShown: false },
    ].filter(({ text }) => text !== '')
    for (const { text, isShown } of this.#unstored)
      if (!known.includes(text)) this.#read(tools).read(text, isShown)
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
        if (entry.loaded) this.#take(activeSkillText(entry), false)
        return
      case 'memory-retrieved':
        return this.#takeMemories(entry.items)
      case 'call-settled':
        if (OWN_WORDS.has(entry.status)) {
          this.#takeOutput(entry.output)
          this.#calledNatively ||=
            entry.status !== 'denied' && this.#nativeCalls.has(entry.path.at(-1) ?? '')
        }
        return
      default:
        // A new fact is one of these, or its words are taken above.
        return void (entry satisfies WordlessRow)
    }
  }

  #read(tools: readonly ToolDefinition[]): CallFinder {
    const wanted = JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]))
    if (this.#found?.tools !== wanted) {
      const finder = new CallFinder(tools, this.#found?.finder)
      for (const call of this.#importedCalls) finder.take(call)
      for (const { text, isShown } of this.#unstored) finder.read(text, isShown)
      this.#found = { tools: wanted, finder, read: 0 }
    }
    const { finder, read } = this.#found
    for (const { text, isShown } of this.#texts.slice(read)) finder.read(text, isShown)
    this.#found.read = this.#texts.length
    return finder
  }

  /**
   * Who wrote an imported history isn't known, its model's messages included. Its texts are taken as they are
   * sent in either mode, its calls, which go out as blocks, too, and each text of each field.
   */
  #takeImported(message: Message): void {
    const texts: string[] = []
    collectTexts(message as unknown as JsonValue, texts)
    for (const text of texts) if (!isBase64.test(text)) this.#take(text, false)
    switch (message.role) {
      case 'user':
        return this.#takeParts(message.parts, message.synthetic ?? false)
      case 'system':
        return this.#takeParts(message.parts, false)
      case 'tool':
        for (const { output } of message.parts) this.#takeOutput(output)
        return this.#takeOutgoing(message)
      case 'assistant':
        for (const part of message.parts)
          if (part.type === 'tool-call' && part.input !== undefined) this.#importedCalls.push(part)
        this.#takeParts(message.parts.filter(isContent), false)
        return this.#takeOutgoing(message)
      default:
        message satisfies never
    }
  }

  #takeOutgoing(message: Message): void {
    for (const { parts } of outgoingMessages([message], [], 'action'))
      this.#takeParts(parts.filter(isContent), false)
  }

  /** As they are sent, and together: a call may be split over them. */
  #takeMemories(items: readonly JsonObject[]): void {
    this.#take(quotedMemories(items), false)
    const parts = items.map(({ text }) => ({ type: 'text', text: String(text) }) as const)
    this.#takeParts(parts, false)
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
        return this.#take(output.reason ?? '', false)
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

function isContent(part: Message['parts'][number]): part is TextPart | FilePart {
  return part.type === 'text' || part.type === 'file'
}

/** Rows that send the model no words but its own, those that other rows hold, and Offstage's. */
type WordlessRow = RowOf<
  | 'step-started'
  | 'run-taken-up'
  | 'attempt-failed'
  | 'step-cut'
  | 'run-parked'
  | 'run-continued'
  | 'run-ended'
  | 'call-proposed'
  | 'approval-requested'
  | 'approval-answered'
  | 'question-asked'
  | 'question-answered'
  | 'output-requested'
  | 'call-started'
  | 'call-withdrawn'
  | 'call-suspended'
  | 'step-outcome'
  | 'child-started'
  | 'child-usage'
  | 'call-interrupted'
  | 'interruption-resolved'
  | 'undo-started'
  | 'undo-settled'
  | 'head-moved'
  | 'history-cleared'
  | 'renamed'
  | 'row-set-aside'
  | 'message-withdrawn'
  | 'message-delivered'
  | 'results-cleared'
  | 'skill-dropped'
  | 'plan-changed'
  | 'untrusted-taken-in'
  | 'descriptions-taken-in'
  | 'consent-given'
  | 'consent-revoked'
>

/** Such a text holds no call. */
const isBase64 = /^[\w+/=-]*$/
