import { toolChunks } from './tool-chunks.ts'
import type { UIChunk, UIDataPart, UIMessageLike, UIOrderedPart, UITextPart } from './ui-message.ts'

/**
 * Computes the chunks that bring a chat's message up to date with a snapshot. Tracks what the chat shows so far,
 * beginning with the message that it continues.
 */
export class PartStream {
  #shown: UIOrderedPart[]
  readonly #data = new Map<string, unknown>()
  #messageId: string | undefined
  /** Text part to which the chat still appends. */
  #open: { readonly at: number; readonly id: string } | null = null
  #texts = 0

  constructor(shown?: UIMessageLike) {
    const parts = shown?.parts ?? []
    this.#shown = parts.filter(isOrdered)
    for (const part of parts) if ('data' in part) this.#data.set(part.type, part.data)
  }

  /** Chunks that bring the chat's message to these parts. */
  update(messageId: string, parts: readonly UIOrderedPart[]): UIChunk[] {
    const chunks: UIChunk[] = []
    if (this.#messageId !== messageId) {
      // Sent only once: a retried request changes the message's id.
      if (this.#messageId === undefined) chunks.push({ type: 'start', messageId })
      this.#messageId = messageId
    }
    this.#rewind(parts, chunks)
    for (const [at, part] of parts.entries()) this.#show(at, part, chunks)
    return chunks
  }

  /** Chunks that bring the chat's data parts to these. A removed part is sent with an empty list. */
  updateData(parts: readonly UIDataPart[]): UIChunk[] {
    if (this.#messageId === undefined) return []
    const gone = [...this.#data.keys()].filter((type) => !parts.some((part) => part.type === type))
    const empty = gone.map((type) => ({ type, id: type.slice('data-'.length), data: [] }))
    return [...parts, ...(empty as unknown as UIDataPart[])].filter(({ type, data }) => {
      const before = this.#data.get(type)
      this.#data.set(type, data)
      return before !== data && !(Array.isArray(before) && before.length + data.length === 0)
    })
  }

  /** Chunks for the end of the answer. */
  close(): UIChunk[] {
    const chunks: UIChunk[] = []
    this.#closeText(chunks)
    if (this.#messageId !== undefined && this.#shown.length > 0)
      chunks.push({ type: 'finish-step' })
    return chunks
  }

  /** Resets the chat's last step unless the new parts extend what it shows. */
  #rewind(parts: readonly UIOrderedPart[], chunks: UIChunk[]): void {
    const step = this.#shown.findLastIndex(({ type }) => type === 'step-start')
    const fits = this.#shown.every((shown, at) => at <= step || isBeginning(shown, parts[at]))
    if (fits) return
    this.#open = null
    this.#shown.length = step + 1
    chunks.push({ type: 'reset-step' })
  }

  #show(at: number, part: UIOrderedPart, chunks: UIChunk[]): void {
    const shown = this.#shown[at]
    if (!shown) this.#closeText(chunks)
    this.#shown[at] = part
    switch (part.type) {
      case 'step-start':
        if (shown) return
        if (at > 0) chunks.push({ type: 'finish-step' })
        chunks.push({ type: 'start-step' })
        return
      case 'text':
      case 'reasoning':
        this.#showText(at, { shown, part }, chunks)
        return
      case 'file':
      case 'steering-message':
        if (!shown) chunks.push(part)
        return
      default: {
        const before = shown && 'toolCallId' in shown ? shown : undefined
        const { next, chunks: more } = toolChunks(before, part)
        this.#shown[at] = next
        chunks.push(...more)
      }
    }
  }

  #showText(
    at: number,
    { shown, part }: { readonly shown: UIOrderedPart | undefined; readonly part: UITextPart },
    chunks: UIChunk[],
  ): void {
    const { type, text, state } = part
    if (!shown) {
      this.#open = { at, id: `${type}-${(this.#texts += 1)}` }
      chunks.push({ type: `${type}-start`, id: this.#open.id })
    }
    const before = shown && 'text' in shown ? shown.text.length : 0
    if (this.#open?.at !== at) return
    if (text.length > before)
      chunks.push({ type: `${type}-delta`, id: this.#open.id, delta: text.slice(before) })
    if (state === 'done') this.#closeText(chunks)
  }

  #closeText(chunks: UIChunk[]): void {
    const open = this.#open
    if (!open) return
    const part = this.#shown[open.at]
    if (part?.type === 'text' || part?.type === 'reasoning')
      chunks.push({ type: `${part.type}-end`, id: open.id })
    this.#open = null
  }
}

function isOrdered(part: { readonly type: string }): part is UIOrderedPart {
  return !part.type.startsWith('data-')
}

/** Whether `shown` can become `part` by appending to it. */
function isBeginning(shown: UIOrderedPart, part: UIOrderedPart | undefined): boolean {
  if (!part || shown.type !== part.type) return false
  if ('text' in shown && 'text' in part) return part.text.startsWith(shown.text)
  if ('toolCallId' in shown && 'toolCallId' in part) return shown.toolCallId === part.toolCallId
  return true
}
