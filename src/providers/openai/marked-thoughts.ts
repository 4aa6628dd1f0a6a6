import { asRecord, type JsonRecord } from '../core/read-json.ts'

/** A piece of the content: thinking, or the reply. */
export interface MarkedPiece {
  readonly isThought: boolean
  readonly text: string
}

/** Thoughts that come as content, each delta marked as one. */
export interface MarkedThoughts {
  /** The pieces of a delta's content, without the tags; null: no thoughts have come, it is read as usual. */
  read(delta: JsonRecord, content: string): readonly MarkedPiece[] | null
  /** What was held back as the beginning of a tag. */
  end(): readonly MarkedPiece[]
}

const OPEN = '<thought>'
const CLOSE = '</thought>'

/**
 * Gemini's: `extra_content: { google: { thought: true } }` beside the content, which begins with `<thought>`; the
 * reply after it begins with `</thought>` (https://github.com/coder/coder, `internal/googleopenai`).
 */
export function createMarkedThoughts(): MarkedThoughts {
  let hasCome = false
  let isThought = false
  /** Stands at the beginning, as a rule. */
  let awaited: string | null = null
  let held = ''

  function take(): MarkedPiece[] {
    const text = held
    held = ''
    return text === '' ? [] : [{ isThought, text }]
  }

  return {
    read(delta, content) {
      const marked = isMarked(delta)
      hasCome ||= marked
      if (!hasCome) return null
      const before = marked === isThought ? [] : take()
      if (marked !== isThought) awaited = marked ? OPEN : CLOSE
      isThought = marked
      held += content
      if (awaited !== null) {
        if (held.length < awaited.length && awaited.startsWith(held)) return before
        if (held.startsWith(awaited)) held = held.slice(awaited.length)
        awaited = null
      }
      return [...before, ...take()]
    },
    end: take,
  }
}

function isMarked(delta: JsonRecord): boolean {
  return asRecord(asRecord(delta['extra_content'])?.['google'])?.['thought'] === true
}
